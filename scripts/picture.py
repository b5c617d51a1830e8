#!/usr/bin/env python3
"""Takes one plot out of a report, as an SVG file that is readable in a light and in a dark page.

usage: picture.py REPORT.html ID OUT.svg
"""

import re
import sys
from pathlib import Path


def main():
    report, name, out = sys.argv[1:]
    text = Path(report).read_text(encoding="utf-8")
    plot = re.search(rf'<svg [^>]*id="{re.escape(name)}".*?</svg>', text, re.DOTALL)
    if not plot:
        known = re.findall(r'<svg [^>]*id="([^"]+)"', text)
        raise SystemExit(f"picture.py: no plot {name} in {report}; there are {', '.join(known)}")
    dark = re.search(r"@media screen and \(prefers-color-scheme:dark\)\{.*\}\n", text)
    rules = re.sub(r":root{[^}]*}", "", dark[0]).strip()
    style = f"<style>{rules}</style>"
    paper = style + '<rect class="fp" fill="#ffffff" width="100%" height="100%"/>'
    Path(out).write_text(re.sub(r"</desc>", f"</desc>{paper}", plot[0], count=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
