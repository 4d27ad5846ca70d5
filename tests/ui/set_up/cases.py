"""Files to upload, and ways to look at the Set up page."""

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

Open = Callable[..., AppTest]
FILES = "set_up/documents/files/0"
START = "set_up/start"
HEADER = "id,title,abstract,publication date\n"
PATENTS = [
    "EP-1000001-A1,Foldable mast,A mast that folds at a hinge.,1999-01-02",
    "EP-1000009-A1,Kettle,A kettle with a lid.,2004-05-06",
    "EP-1000003-A1,Antenna mount,An antenna on a foldable mast.,2001-03-04",
    "EP-1000002-A1,Cup $x$ <b>bold</b> *star*,A cup.,2010-01-01",
]
CSV = (HEADER + "\n".join(PATENTS) + "\n").encode()


def html_of(app: AppTest) -> str:
    return " ".join(element.proto.body for element in app.get("html"))


def words_of(elements: object) -> str:
    return " ".join(str(element.value) for element in elements).replace("\\", "")  # type: ignore[attr-defined]


def upload(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    app.radio("set_up/documents/source").set_value("upload").run()
    for name, content in files:
        app.file_uploader(FILES).upload(name, content)
    app.run()
    assert not app.exception
    return app


def query(app: AppTest) -> str:
    return next(area.key for area in app.text_area if "/query/" in area.key)


def answered(app: AppTest) -> AppTest:
    """Say what is at stake, where that is asked and not said yet."""
    worse = next((radio for radio in app.radio if str(radio.key).endswith("own/stakes/worse")), None)
    if worse is not None and worse.value is None:
        key = str(worse.key).removesuffix("worse")
        worse.set_value("equal").run()
        app.number_input(f"{key}documents").set_value(500.0).run()
    return app


def start(app: AppTest) -> AppTest:
    """Say what is at stake, if need be, and start."""
    return answered(app).button(START).click().run()
