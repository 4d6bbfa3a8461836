// The objects of the API, as docs/web.md describes them. For the type checker alone: no part of the page.

export type Value = "win" | "draw" | "loss";

export interface Piece {
  square: string;
  letter: string;
  side: string;
  name: string;
  abbreviation: string;
}

export interface Move {
  move: string;
  squares: string[];
  rest: string;
  san?: string;
  rolled: boolean;
}

export interface Graph {
  layer: string;
  names: string[];
  points: [number, number][];
  paths: [number, number][];
}

export interface BoardObject {
  game: string;
  name: string;
  fen: string;
  width: number;
  height: number;
  sides: [string, string];
  side_to_move: "w" | "b";
  pieces: Piece[];
  key: string[];
  blocking: string[];
  raised: string[];
  river: string[];
  labels: Record<string, string>;
  above: Piece[];
  graph: Graph | null;
  notes: Record<string, string>;
  objective: string;
  outcome: Value | null;
  ending: { text: string; result: string; repetition: boolean } | null;
  moves: Move[];
}

export interface Position extends BoardObject {
  start: string;
  played: string[];
  san: string[] | null;
  turns: number[];
  changed: string[];
  revealed: string | null;
  play?: string;
}

export interface Card {
  game: string;
  name: string;
  board: string;
  objective: string;
  status: string;
  summary: string;
  hidden: boolean;
  dice: boolean;
  variant: boolean;
  served: boolean;
}

export interface Motion {
  dx: number;
  dy: number;
  quiet: boolean;
  capture: boolean;
  initial: boolean;
  lame: boolean;
  steps: number;
}

export interface Kind {
  letter: string;
  names: [string, string];
  abbreviations: [string, string];
  betza: string;
  motions: Motion[];
}

export interface About extends Card {
  pieces: Kind[];
  text: string | null;
}

export interface ValuedMove {
  move: string;
  value: Value | null;
  distance: number | null;
}

export interface Truth {
  game: string;
  fen: string;
  source: "tables" | "graph" | "rules" | null;
  value: Value | null;
  distance: number | null;
  moves: ValuedMove[];
  line?: string[];
  line_forced?: boolean[];
  line_end?: { kind: string; ply?: number; outcome?: string };
  positions?: number;
  reason?: string;
}

export interface Score {
  kind: "centipawns" | "win" | "loss" | "expectation";
  value: number;
  error?: number;
}

export interface EngineLine {
  score: Score;
  text: string;
  bound: "exact" | "lower" | "upper";
  proven: boolean;
  depth: number;
  visits: number;
  line: string[];
}

export interface Snapshot {
  depth: number;
  seldepth: number;
  nodes: number;
  seconds: number;
  nps: number;
  hashfull: number;
  lines: EngineLine[];
}

export interface Found {
  done: true;
  bestmove: string | null;
  score: Score;
  proven: boolean;
  line: string[];
  depth: number;
  nodes: number;
  seconds: number;
  texts: string[];
  lines: EngineLine[];
}

export interface Proof extends Truth {
  positions: number;
  wins: number;
  draws: number;
  losses: number;
  longest_win: number | null;
  longest_win_fen: string | null;
  seconds: number;
  claims?: { text: string; confirmed: boolean; found: string }[];
}

export interface Place {
  game?: string;
  variant?: string;
  fen?: string;
  moves?: string[];
}

export interface Tile {
  tile: string;
  words: string;
  strength: number;
}

export interface Room {
  room: string;
  game: string;
  name: string;
  version: number;
  side: "w" | "b";
  opponent: "mcts" | "person" | "absent";
  phase: "give" | "place" | "play" | "over";
  turn: boolean;
  tiles?: {
    hand: Tile[];
    give: number;
    checkers: number;
    home: string[];
    width: number;
    height: number;
    given: Tile[];
    received: Tile[];
    chosen: string | null;
  };
  board?: BoardObject;
  news: string[];
  over?: string;
}

export interface Seat {
  room: string;
  side: "w" | "b";
  token: string;
  invitation?: string;
}

export interface Estimate {
  value: number | null;
  low: number | null;
  high: number | null;
}

export interface Survey {
  game: string;
  fen: string;
  first: string;
  exact: { value: Value; distance: number | null } | null;
  method: { algorithm: string; nodes: number; plies: number };
  sampled: {
    games: number;
    distinct: number;
    length: { mean: Estimate; quartiles: number[]; histogram: { from: number; to: number; games: number }[] };
    branching: { mean: Estimate; most: number; plies: { ply: number; games: number; mean: number; low: number; high: number }[] };
    first: [number, number, number];
    first_move_score: Estimate;
    draw_rate: Estimate;
    lead_changes?: Estimate;
    reasons: Record<string, number>;
  };
  ladder: { nodes: number; against: number; results: number[]; elo: Estimate }[];
  sample_game: { fen: string; moves: string[] };
}

export interface Running {
  game: string;
  start: string;
  moves: string[];
  players: [string, string];
}

export interface Tournament {
  live: boolean;
  records: string | null;
  report: {
    players: { name: string; wins: number; draws: number; losses: number; score: number | null; elo: number | null; elo_error: number | null }[];
    games: number;
    scheduled: number;
    complete: boolean;
    crosstable: (number | null)[][];
    white: [number, number, number];
    sprt?: { llr: number; lower: number; upper: number; verdict: "h0" | "h1" | "continue"; elo0: number; elo1: number };
  } | null;
  curve: [number, number][];
  boards: Running[];
}

export interface GameLine {
  number: number;
  game: string;
  white: string;
  black: string;
  result: string;
  plies: number;
  reason: string;
}

export interface GameRecord {
  number: number;
  game: string;
  start: string;
  book: number;
  white: string;
  black: string;
  result: string;
  ending: string;
  moves: string[];
  turns?: number[];
  scores?: (string | null)[];
  depths?: (number | null)[];
  nodes?: (number | null)[];
  seconds?: number[];
}
