import os
from typing import List, Optional, Tuple, Union

class VerdiffError(Exception): ...

class Compared:
    def json(self) -> str: ...
    def text(self) -> str: ...
    def html(self) -> str: ...
    def markdown(self) -> str: ...
    def sarif(self) -> str: ...
    def exit_code(self) -> int: ...
    def test(self, function: str) -> Optional[Tuple[str, str]]: ...

def compare(
    old: Union[str, List[os.PathLike[str]]],
    new: Union[str, List[os.PathLike[str]]],
    *,
    entry: List[str],
    timeout: float,
    effort: Optional[float],
    budget: Optional[float],
    jobs: Optional[int],
    criterion: str,
    ignore_termination: bool,
    overflow: str,
    no_alias: bool,
    ignore_line_numbers: bool,
    rename: List[Tuple[str, str]],
    assume: List[Tuple[str, str]],
    clang_flags: List[str],
    seed: int,
    cache: Optional[os.PathLike[str]],
    tests: bool,
    program: Optional[os.PathLike[str]],
    memory: int,
) -> Compared: ...
