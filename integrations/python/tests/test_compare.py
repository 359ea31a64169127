"""The package as its users meet it. `pytest` runs these tests, and the example in the module's documentation."""

import _thread
import doctest
import html
import pathlib
import re
import signal
import threading

import pytest

import verdiff

OLD = "int half(int n) { return n / 2; }\nint twice(int n) { return n + n; }\n"
NEW = "int half(int n) { return n >> 1; }\nint twice(int n) { return 2 * n; }\n"


@pytest.fixture(scope="module")
def report() -> verdiff.Report:
    return verdiff.compare(OLD, NEW, tests=True)


def test_a_report_is_a_mapping_of_functions(report: verdiff.Report) -> None:
    assert list(report) == ["half", "twice"] and len(report) == 2
    assert "half" in report and "other" not in report
    half, twice = report.functions
    assert half.verdict == "different" and half.kinds == ["value"] and half.exact
    assert half.differ_under == "n < 0 && (n & 1) == 1"
    assert half.witness is not None and half.witness["replay"] == "confirmed"
    assert twice.verdict == "equivalent" and twice.witness is None and twice.reason is None
    assert report.exit_code == 1
    assert repr(report) == "<Report: 1 equivalent, 1 different, 0 unknown>"
    assert repr(half) == "<Function half: different when n < 0 && (n & 1) == 1>"


def test_a_difference_has_a_test(report: verdiff.Report) -> None:
    name, text = report["half"].test or ("", "")
    assert name == "half_test.c" and "#include SOURCE" in text
    assert report["twice"].test is None


def test_all_formats(report: verdiff.Report) -> None:
    assert report.json["schema"] == "verdiff-report/1"
    assert str(report) == report.text() and "return n >> 1;" in report.text()
    assert report.html().startswith("<!doctype html>")
    assert "half" in report.markdown()
    assert report.sarif()["version"] == "2.1.0"


def test_a_notebook_shows_the_page_in_a_frame(report: verdiff.Report) -> None:
    shown = report._repr_html_()
    match = re.fullmatch(r'<iframe srcdoc="([^"]*)" [^<>]*></iframe>', shown)
    assert match is not None
    assert html.unescape(match.group(1)) == report.html()


def test_files_and_options(tmp_path: pathlib.Path) -> None:
    old, new = tmp_path / "old.c", tmp_path / "new.c"
    old.write_text(OLD)
    new.write_text(NEW.replace("half", "halved"))
    report = verdiff.compare(old, [new], entry="half", rename={"half": "halved"}, assume={"half": "n >= 0"})
    assert report["half"].verdict == "equivalent"
    assert report.json["new"]["files"] == [str(new)]


def test_line_numbers_are_ignored_where_that_is_wanted() -> None:
    old, new = "int where(void) { return __LINE__; }\n", "\nint where(void) { return __LINE__; }\n"
    assert verdiff.compare(old, new)["where"].verdict == "different"
    assert verdiff.compare(old, new, ignore_line_numbers=True)["where"].verdict == "equivalent"


def test_errors_say_what_is_wrong() -> None:
    with pytest.raises(verdiff.VerdiffError, match="expected '}'"):
        verdiff.compare("int f(void) {", "int f(void);")
    with pytest.raises(verdiff.VerdiffError, match="other: no such function"):
        verdiff.compare(OLD, NEW, entry=["other"])
    with pytest.raises(ValueError, match="timeout: must be a positive number of seconds, not -1"):
        verdiff.compare(OLD, NEW, timeout=-1)
    with pytest.raises(ValueError, match="criterion"):
        verdiff.compare(OLD, NEW, criterion="some")


def test_ctrl_c_ends_a_comparison() -> None:
    # A process that a shell starts in the background ignores the signal.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Whether these two are equal is not decided within the time limit.
    old = "unsigned f(unsigned a, unsigned n) { unsigned r = 1; while (n-- > 0) r *= a; return r; }"
    step = "if (n % 2) r *= a; a *= a; n /= 2;"
    new = "unsigned f(unsigned a, unsigned n) { unsigned r = 1; while (n > 0) { " + step + " } return r; }"
    timer = threading.Timer(0.5, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        verdiff.compare(old, new, timeout=20)
    timer.join()


def test_the_example_of_the_documentation() -> None:
    results = doctest.testmod(verdiff)
    assert results.attempted > 0 and results.failed == 0
