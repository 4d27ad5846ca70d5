"""One browser tab: it speaks to the running server as a browser does, over a websocket."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect


@dataclass
class Tab:
    """What the page shows, and what is pressed on it."""

    url: str
    _: KW_ONLY
    headers: dict[str, str] = field(default_factory=dict)
    """Which a browser or a proxy would add, such as who is there."""
    query: str = ""
    """Of the address, as the page changed it last."""
    page: str = ""
    """As the server calls it."""
    buttons: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By label: the id of a button or a toggle that is shown, and of the part of the page that it redraws."""
    failed: list[str] = field(default_factory=list)
    warned: list[str] = field(default_factory=list)
    """What a page said of a press that it could not follow."""
    name: ClassVar[str]
    """Of the page."""

    def connected(self) -> connect:
        """The connection of the tab."""
        address = f"ws{self.url.removeprefix('http')}/_stcore/stream"
        how: dict[str, Any] = {"subprotocols": ["streamlit"], "additional_headers": self.headers}
        return connect(address, origin=self.url, max_size=None, **how)  # type: ignore[arg-type]

    async def ask(
        self, socket: ClientConnection, pressed: str = "", held: Sequence[WidgetState] = ()
    ) -> None:
        """Ask for the page, or press something on it; `held` are widgets that are not as they were drawn."""
        asked = BackMsg()
        state = asked.rerun_script
        state.page_name, state.page_script_hash, state.query_string = self.name, self.page, self.query
        state.widget_states.widgets.extend(held)
        if pressed:
            button, state.fragment_id = self.buttons[pressed]
            state.widget_states.widgets.append(WidgetState(id=button, trigger_value=True))
        await socket.send(asked.SerializeToString())

    async def drawn(self, socket: ClientConnection) -> None:
        """Take in what the server sends until the page is whole."""
        while True:
            said = ForwardMsg.FromString(await socket.recv())  # type: ignore[arg-type]
            kind = said.WhichOneof("type")
            if kind == "script_finished" and said.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                return
            if kind == "new_session":
                self.page = said.new_session.page_script_hash
            elif kind == "page_info_changed":
                self.query = said.page_info_changed.query_string
            elif kind == "delta":
                self.take_in(said.delta.new_element, said.delta.fragment_id)

    def take_in(self, element: Element, part: str) -> None:
        """What is drawn in a part of the page."""
        kind = element.WhichOneof("type")
        if kind == "button":
            self.buttons[element.button.label] = element.button.id, part
        elif kind == "checkbox":
            self.buttons[element.checkbox.label] = element.checkbox.id, part
        elif kind == "exception":
            self.failed.append(element.exception.message)
        elif element.alert.format == Alert.WARNING:
            self.warned.append(element.alert.body)
