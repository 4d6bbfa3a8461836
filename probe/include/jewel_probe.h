/* Endgame tables of jewel for programs in C. docs/c.md is the guide.
 *
 * No function prints, exits or lets a panic out. All functions may be called from any number of threads at once, with the
 * same tables, until the tables are closed. Written by cbindgen from probe/src/lib.rs. */

#ifndef JEWEL_PROBE_H
#define JEWEL_PROBE_H

#include <stddef.h>
#include <stdint.h>

/*
 How a call ended.
 */
typedef enum JewelStatus {
  /*
   It did what it should.
   */
  JEWEL_OK = 0,
  /*
   An argument is wrong: there is no such game, or the position string has a mistake.
   */
  JEWEL_BAD_ARGUMENT = 1,
  /*
   No table holds the position.
   */
  JEWEL_NO_TABLE = 2,
  /*
   A table or the folder cannot be read, is damaged, or is for other rules.
   */
  JEWEL_BAD_TABLE = 3,
  /*
   A mistake of the library.
   */
  JEWEL_INTERNAL = 4,
} JewelStatus;

/*
 The tables of a game, open.
 */
typedef struct JewelTables JewelTables;

/*
 The exact value of a position for the side to move.
 */
typedef struct JewelValue {
  /*
   1 for a win, 0 for a draw, -1 for a loss.
   */
  int32_t wdl;
  /*
   Plies to the end of the game under best play; -1 for a draw.
   */
  int32_t distance;
} JewelValue;

/*
 Pieces of one type and side.
 */
typedef struct JewelPieces {
  /*
   Their letter in position strings: a capital for White, a small letter for Black.
   */
  char letter;
  /*
   The squares on which they stand: bit 0 is a1, bit 1 is b1, and the next rank follows at once: on a board that is five
   files wide, bit 5 is a2.
   */
  uint64_t squares;
} JewelPieces;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Opens all tables of a folder.

 `game` is the id of a game that comes with jewel, such as "ambush", or the path of a variant file that ends in ".toml".
 The tables are written to `tables`, to be closed by jewel_close; NULL where the call fails. `error` is NULL, or has room for
 `error_size` bytes, and gets one line that says what is wrong; it is empty where nothing is.

 # Safety
 `game` and `folder` end with a zero byte, `tables` can be written, and `error` is null or has room for `error_size` bytes.
 */
enum JewelStatus jewel_open(const char *game,
                            const char *folder,
                            struct JewelTables **tables,
                            char *error,
                            size_t error_size);

/*
 Closes tables. No other call may use them at the time or later. NULL is allowed.

 # Safety
 `tables` is null, or comes from `jewel_open` and was not closed before.
 */
void jewel_close(struct JewelTables *tables);

/*
 The exact value of the position of a position string, with its distance.

 Counters of moves do not matter. Castling rights are refused: tables know none.

 # Safety
 `tables` comes from `jewel_open` and is not closed, `fen` ends with a zero byte, `value` can be written, and `error` is null
 or has room for `error_size` bytes.
 */
enum JewelStatus jewel_probe(const struct JewelTables *tables,
                             const char *fen,
                             struct JewelValue *value,
                             char *error,
                             size_t error_size);

/*
 The exact value of a position that is given by sets of squares, without *en passant*: the fast way for engines.

 `pieces` has `count` entries, each type and side once at most. With `with_distance` 0 the distance is not looked up and is -1,
 which is faster.

 # Safety
 As for `jewel_probe`; `pieces` has `count` entries.
 */
enum JewelStatus jewel_probe_pieces(const struct JewelTables *tables,
                                    const struct JewelPieces *pieces,
                                    size_t count,
                                    int32_t white_to_move,
                                    int32_t with_distance,
                                    struct JewelValue *value,
                                    char *error,
                                    size_t error_size);

/*
 The number of classes that have tables; 0 for NULL.

 # Safety
 `tables` is null, or comes from `jewel_open` and is not closed.
 */
size_t jewel_classes(const struct JewelTables *tables);

/*
 The name of a class by its number, from 0, such as "LNvQN"; NULL if there is none. It is valid until the tables are closed.

 # Safety
 As for `jewel_classes`.
 */
const char *jewel_class_name(const struct JewelTables *tables,
                             size_t number);

/*
 The version of the library, such as "0.2.0". It is valid for ever.
 */
const char *jewel_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* JEWEL_PROBE_H */
