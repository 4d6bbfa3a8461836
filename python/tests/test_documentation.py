"""The examples of docstrings and of the guide are true, and the types are those of the compiled module."""

import ast
import doctest
import inspect
import json
import subprocess
import sys
from pathlib import Path

import jewel
import pytest

PYTHON = Path(__file__).parents[1]
GUIDE = PYTHON.parent / "docs" / "python.md"


def documented() -> list[tuple[str, str]]:
    found = [("jewel", jewel.__doc__ or "")]
    for name in jewel.__all__:
        item = getattr(jewel, name)
        found.append((name, inspect.getdoc(item) or ""))
        if inspect.isclass(item):
            members = {**vars(item)}
            found += [(f"{name}.{m}", inspect.getdoc(v) or "") for m, v in members.items() if not m.startswith("_")]
    return found


@pytest.mark.parametrize(("name", "text"), [entry for entry in documented() if ">>>" in entry[1]])
def test_docstrings(name: str, text: str) -> None:
    run(name, text)


def test_modules() -> None:
    for module in ("pettingzoo", "openspiel"):
        pytest.importorskip({"pettingzoo": "pettingzoo", "openspiel": "pyspiel"}[module])
        run(module, __import__(f"jewel.{module}", fromlist=["x"]).__doc__ or "")


def test_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("guide", GUIDE.read_text().replace("```\n", "\n"))


def run(name: str, text: str) -> None:
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert test.examples
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(test)
    assert result.failed == 0


def test_every_public_item_is_documented() -> None:
    assert [name for name, text in documented() if not text and name != "UNKNOWN"] == []


def test_stubs_have_what_the_module_has() -> None:
    stubs = ast.parse((PYTHON / "jewel" / "_jewel.pyi").read_text())
    classes = {node.name: node for node in stubs.body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in stubs.body if isinstance(node, ast.FunctionDef)}
    for name, item in vars(jewel._jewel).items():
        if name.startswith("__") or not callable(item):
            continue
        if not inspect.isclass(item):
            assert name in functions
            continue
        stubbed = {node.name for node in classes[name].body if isinstance(node, ast.FunctionDef)}
        public = {member for member in vars(item) if not member.startswith("_")}
        assert name == "JewelError" or stubbed - {s for s in stubbed if s.startswith("_")} == public, name


def test_import_is_fast() -> None:
    """Without NumPy, which is loaded when an array is first asked for."""
    code = "import sys, jewel; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_the_notebook_runs(tmp_path: Path) -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    notebook = nbformat.read(PYTHON.parent / "examples" / "jewel.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    pictures = [out for cell in notebook.cells for out in cell.get("outputs", []) if "image/svg+xml" in out.get("data", {})]
    assert pictures and json.dumps(notebook)
