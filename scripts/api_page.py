"""Write ``docs/api.md`` from the docstrings of the names at the root: ``python -m scripts.api_page``."""

import inspect
import re
from pkgutil import resolve_name

from numpydoc.docscrape import NumpyDocString

from scripts.study import DOCS, environment

FIELD = re.compile(r'^    (\w+): ([^#=\n]+?)(?: = [^#\n]*)?(?:  # (.+)|\n    """([^"]+)""")$', re.MULTILINE)
LINK, QUOTED = re.compile(r":\w+:`~?[\w.]*?(\w+)`"), re.compile(r"(: |-> )'([^']*)'")


def part(name: str) -> dict[str, object]:
    """What the page says of a class or a function, by its name, which ``pkgutil.resolve_name`` takes it."""
    entry = resolve_name(name)
    text = LINK.sub(r"`\1`", inspect.getdoc(entry) or "").replace("``", "`")
    source = inspect.getsource(entry) if inspect.isclass(entry) else ""
    listed = FIELD.findall(source)
    fields = [(field, kind, said or " ".join(more.split())) for field, kind, said, more in listed]
    signature = re.sub(r"\w+(\.\w+)+\.", "", QUOTED.sub(r"\1\2", str(inspect.signature(entry))))
    name = name.split(":")[1]
    return {"name": name, "signature": signature, "doc": NumpyDocString(text), "fields": fields}


def page() -> str:
    """The page as markdown."""
    text = environment().get_template("api.md.jinja").render(part=part)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


if __name__ == "__main__":
    (DOCS / "api.md").write_text(page(), encoding="utf-8")
