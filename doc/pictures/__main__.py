"""Draw the picture of the README anew."""

from pictures import OF_README, for_readme

OF_README.write_text(for_readme(), encoding="utf-8")
