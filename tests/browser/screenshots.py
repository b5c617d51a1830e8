"""Writes screenshots of a page: light, dark, narrow and print.

usage: screenshots.py PAGE.html FOLDER
"""

import sys
from pathlib import Path

import chromium


def main():
    page, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    views = {
        "light": {},
        "dark": {"dark": True},
        "narrow": {"width": 360, "height": 740},
        "print": {"width": 794, "height": 1123},
    }
    with chromium.Browser() as browser:
        for name, options in views.items():
            tab = chromium.Page(browser, page.as_uri(), **options)
            if name == "print":
                tab.call("Emulation.setEmulatedMedia", media="print")
            tab.whole_screenshot(folder / f"{name}.png")
            tab.close()


if __name__ == "__main__":
    main()
