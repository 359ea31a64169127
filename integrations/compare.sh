#!/bin/sh
# Compares two revisions of the repository in the current folder, and writes all reports that a code review reads.
# The GitHub Action runs it, and so can any other CI system.
#
#   compare.sh BASE [HEAD]      two revisions; without HEAD, BASE and the working tree
#   compare.sh --cached         HEAD and the index
#
# Environment:
#   VERDIFF          the program (default: verdiff in PATH)
#   VERDIFF_ARGS     further options, separated by spaces: "--build make --timeout 20"
#   VERDIFF_FAIL_ON  what fails the build (default: different)
#   VERDIFF_OUTPUT   the folder for the reports (default: verdiff-report)
#   VERDIFF_ACCEPT   the accept file (default: verdiff-accept.toml, if there is one)
#
# The exit code is that of verdiff: 0, 1 (different), 3 (undecided, if that fails the build), 2 (error).
set -eu
verdiff=${VERDIFF:-verdiff}
output=${VERDIFF_OUTPUT:-verdiff-report}
accept=${VERDIFF_ACCEPT:-verdiff-accept.toml}
mkdir -p "$output"
set -- "$@" --no-progress --fail-on "${VERDIFF_FAIL_ON:-different}" \
    -o "$output/report.json" -o "$output/report.sarif" -o "$output/report.md" \
    -o "$output/report.html" -o "$output/gl-code-quality-report.json"
if [ -f "$accept" ]; then
    set -- "$@" --accept "$accept"
elif [ -n "${VERDIFF_ACCEPT:-}" ]; then
    echo "compare.sh: no such file: $accept" >&2
    exit 2
fi
# Options are words without spaces of their own.
# shellcheck disable=SC2086
set -- "$@" ${VERDIFF_ARGS:-}
status=0
"$verdiff" git "$@" || status=$?
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$output/report.md" ]; then
    cat "$output/report.md" >> "$GITHUB_STEP_SUMMARY"
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
    echo "status=$status" >> "$GITHUB_OUTPUT"
    echo "reports=$output" >> "$GITHUB_OUTPUT"
fi
exit "$status"
