# Read by scripts and the Makefile: which tools, which formatter, and which C files there are.

# The format depends on the formatter's version: 14 is the house's, 15 formats this tree alike, and later ones do not.
FORMATTER_FROM_PYPI=14.0.6

# Prints the command of a formatter that formats as the house does: the system's, or the one that scripts/setup --dev
# brought from PyPI. Fails where there is none.
house_formatter()
{
  local name version
  for name in clang-format-14 .tools/bin/clang-format clang-format-15 clang-format; do
    version=$("$name" --version 2>/dev/null) || continue
    case $version in *"version 14."* | *"version 15."*) echo "$name"; return ;; esac
  done
  return 1
}

# Is something here? Its kind is a command, a header, a library to link with, the formatter, or the symbols of the C
# library, which valgrind reads.
has()
{
  case $1 in
    command) command -v "$2" >/dev/null ;;
    header)
      printf '#include <%s>\n' stdarg.h stddef.h stdint.h setjmp.h stdio.h "$2" | cc -E - >/dev/null 2>&1 ;;
    library) echo 'int main(void) { return 0; }' | cc -x c - -o /dev/null "-l$2" >/dev/null 2>&1 ;;
    formatter) house_formatter >/dev/null ;;
    debug-symbols) ls /usr/lib/debug/.build-id /usr/lib/debug/lib 2>/dev/null | grep -q . ;;
  esac
}

# Every C file and header, ours alone.
c_files()
{
  for room in include gen cache runtime tuner cli tests bench examples; do
    if [ -d "$room" ]; then find "$room" -name '*.[ch]' -type f; fi
  done | LC_ALL=C sort
}

# uncommented FILE...: FILE:LINE: TEXT, without comments. The compiler's own program does it, which starts in half the time.
uncommented()
{
  local preprocess file
  preprocess=$(gcc -print-prog-name=cc1)
  if [ -x "$preprocess" ]; then preprocess+=" -quiet"; else preprocess=gcc; fi
  for file in "$@"; do $preprocess -fpreprocessed -dD -E "$file" 2>/dev/null; done |
    awk '/^# [0-9]+ "/ { line = $2 - 1; file = $3; gsub("\"", "", file); next } { print file ":" ++line ": " $0 }'
}

# For awk: the value of a field of a trial in the shipped form; none of those asked for holds a quote.
awk_field='
  function field(name,    at, rest) {
    at = index(" " $0, " " name "=")
    if (!at) return ""
    rest = substr($0, at + length(name) + 1)
    if (substr(rest, 1, 1) == "\"") { rest = substr(rest, 2); return substr(rest, 1, index(rest, "\"") - 1) }
    sub(/ .*/, "", rest)
    return rest
  }'
