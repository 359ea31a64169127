"""A verified diff for C.

>>> import verdiff
>>> report = verdiff.compare("int half(int n) { return n / 2; }", "int half(int n) { return n >> 1; }")
>>> report["half"].verdict
'different'
>>> report["half"].differ_under
'n < 0 && (n & 1) == 1'
>>> report["half"].witness["inputs"]
{'n': -1}
"""

from __future__ import annotations

import html as _html
import json as _json
import os
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _verdiff
from ._verdiff import VerdiffError

__all__ = ["Function", "Report", "Source", "VerdiffError", "compare"]

#: A version of a program: C code as a string, a path, or several paths that are linked. A path is an object such as
#: :class:`pathlib.Path`; a string is always code.
Source = Union[str, "os.PathLike[str]", Sequence["os.PathLike[str]"]]


class Function:
    """The results for one function; ``data`` is its element of ``pairs`` in the JSON report."""

    def __init__(self, data: Dict[str, Any], test: Optional[Tuple[str, str]]) -> None:
        self.data = data
        #: The C test of the difference, if ``tests=True`` was given: its file name and its text.
        self.test = test

    @property
    def name(self) -> str:
        """The name."""
        return str(self.data["function"])

    @property
    def verdict(self) -> str:
        """``equivalent``, ``different``, ``unknown``, ``added`` or ``removed``."""
        return str(self.data["verdict"])

    @property
    def kinds(self) -> List[str]:
        """How it differs: ``value``, ``memory``, ``output``, ``trap``, ``termination``, ``interface``."""
        return list(self.data["kinds"])

    @property
    def exact(self) -> bool:
        """Whether the conditions cover every input."""
        return bool(self.data["exact"])

    @property
    def differ_under(self) -> Optional[str]:
        """The inputs for which both versions terminate with different outcomes, as a C expression."""
        return self._condition("differ_under")

    @property
    def equal_under(self) -> Optional[str]:
        """The inputs for which outcomes are equal if both versions terminate, as a C expression."""
        return self._condition("equal_under")

    @property
    def witness(self) -> Optional[Dict[str, Any]]:
        """An input for which the versions differ, with both outcomes."""
        witness: Optional[Dict[str, Any]] = self.data["witness"]
        return witness

    @property
    def reason(self) -> Optional[str]:
        """Why it is undecided."""
        reason = self.data["reason"]
        return None if reason is None else str(reason["detail"])

    def _condition(self, name: str) -> Optional[str]:
        condition: Optional[str] = self.data[name]["c"]
        return condition

    def __repr__(self) -> str:
        condition = self.differ_under
        when = f" when {condition}" if self.verdict == "different" and condition not in (None, "0") else ""
        return f"<Function {self.name}: {self.verdict}{when}>"


class Report:
    """The report of a comparison: a mapping from names to functions, in the order of the old version."""

    def __init__(self, compared: _verdiff.Compared) -> None:
        self._compared = compared
        #: The JSON report, schema ``verdiff-report/1``.
        self.json: Dict[str, Any] = _json.loads(compared.json())
        self._functions = {
            pair["function"]: Function(pair, compared.test(pair["function"])) for pair in self.json["pairs"]
        }

    @property
    def functions(self) -> List[Function]:
        """All functions."""
        return list(self._functions.values())

    @property
    def summary(self) -> Dict[str, Any]:
        """How many functions have each verdict."""
        summary: Dict[str, Any] = self.json["summary"]
        return summary

    @property
    def exit_code(self) -> int:
        """The exit code of the program: 0 equivalent, 1 different, 3 undecided, 2 nothing was judged."""
        return self._compared.exit_code()

    def text(self) -> str:
        """The report for a terminal."""
        return self._compared.text()

    def html(self) -> str:
        """The report as one HTML page that needs nothing else."""
        return self._compared.html()

    def markdown(self) -> str:
        """The report as Markdown, of at most 60 lines."""
        return self._compared.markdown()

    def sarif(self) -> Dict[str, Any]:
        """The report as SARIF 2.1.0."""
        sarif: Dict[str, Any] = _json.loads(self._compared.sarif())
        return sarif

    def __getitem__(self, name: str) -> Function:
        return self._functions[name]

    def __contains__(self, name: object) -> bool:
        return name in self._functions

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        words = ("equivalent", "different", "unknown")
        return "<Report: " + ", ".join(f"{self.summary[word]} {word}" for word in words) + ">"

    def _repr_html_(self) -> str:
        """For notebooks: the HTML page in a frame, so that its styles stay its own."""
        page = _html.escape(self.html(), quote=True)
        return (
            f'<iframe srcdoc="{page}" title="verdiff report" sandbox="allow-scripts" '
            'style="width: 100%; height: 32em; border: 1px solid #8888; border-radius: 4px"></iframe>'
        )


def compare(
    old: Source,
    new: Source,
    *,
    entry: Union[str, Iterable[str]] = (),
    timeout: float = 10.0,
    effort: Optional[float] = None,
    budget: Optional[float] = None,
    jobs: Optional[int] = None,
    criterion: str = "partial",
    ignore_termination: bool = False,
    overflow: str = "wrap",
    no_alias: bool = False,
    ignore_line_numbers: bool = False,
    rename: Optional[Mapping[str, str]] = None,
    assume: Optional[Mapping[str, str]] = None,
    clang_flags: Iterable[str] = (),
    seed: int = 1,
    cache: Optional["os.PathLike[str]"] = None,
    tests: bool = False,
    program: Optional["os.PathLike[str]"] = None,
    memory: int = 2048,
) -> Report:
    """Compares two versions of a C program, function by function.

    The options have the names and defaults of the command line; ``rename`` maps old to new names, ``assume`` functions to
    preconditions in C. ``tests`` makes a C test of each difference. With ``program``, the path of an installed
    ``verdiff``, functions are judged in processes with a limit of ``memory`` MiB; without, on threads of this process.

    Raises :class:`VerdiffError` if a version does not compile or a name does not exist, and :class:`ValueError` for an
    option that makes no sense.
    """
    return Report(
        _verdiff.compare(
            _version(old),
            _version(new),
            entry=[entry] if isinstance(entry, str) else list(entry),
            timeout=timeout,
            effort=effort,
            budget=budget,
            jobs=jobs,
            criterion=criterion,
            ignore_termination=ignore_termination,
            overflow=overflow,
            no_alias=no_alias,
            ignore_line_numbers=ignore_line_numbers,
            rename=list((rename or {}).items()),
            assume=list((assume or {}).items()),
            clang_flags=list(clang_flags),
            seed=seed,
            cache=cache,
            tests=tests,
            program=program,
            memory=memory,
        )
    )


def _version(source: Source) -> Union[str, List["os.PathLike[str]"]]:
    if isinstance(source, str):
        return source
    if isinstance(source, os.PathLike):
        return [source]
    return list(source)
