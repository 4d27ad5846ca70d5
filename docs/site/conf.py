"""Settings of Sphinx for the documentation site: README and docs as they are, with contents beside them (`make site`)."""

from sphinx.application import Sphinx

from tarstop_core import __version__

project, release = "TARstop", __version__
extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header", "misc.highlighting_failure"]  # formats such as RIS have no colours
root_doc = "README"
include_patterns = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/*.md", "sample_data/README.md"]
exclude_patterns = [".*", "build", "tests", "tarstop_core", "dashboard"]
html_theme = "furo"
html_title = f"TARstop {release}"
html_extra_path = ["index.html"]
html_copy_source = False

CONTENTS = """

```{toctree}
:hidden:
:caption: Use

docs/guide
docs/own_data
docs/api
docs/benchmarks_of_your_own
docs/for_several
sample_data/README
```

```{toctree}
:hidden:
:caption: Theory and measurements

docs/methods
docs/results
docs/reviews_measured
docs/question_chances
docs/still_unread
docs/recall_statement
docs/readers_measured
docs/calibrators_travel
docs/reranking
docs/reranked_chances
docs/ranking
docs/reml_or_exact
docs/grlstop
```

```{toctree}
:hidden:
:caption: Development

docs/architecture
docs/benchmarks
CONTRIBUTING
CHANGELOG
```
"""


def add_contents(app: Sphinx, page: str, source: list[str]) -> None:
    """Append to the first page what stands in the sidebar; on other sites a README shows no such list."""
    if page == root_doc:
        source[0] += CONTENTS


def setup(app: Sphinx) -> None:
    """Let Sphinx call what is above."""
    app.connect("source-read", add_contents)
