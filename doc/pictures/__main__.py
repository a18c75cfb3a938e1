"""Draw the pictures of the README anew."""

from pictures import OF_README, for_readme

for name, path in OF_README.items():
    path.write_text(for_readme(name), encoding="utf-8")
