"""A check that tests render every branch of a template of sentences, and that what comes out reads as sentences."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from jinja2 import Template, nodes
from jinja2.visitor import NodeTransformer

from tarstop_core.presentation.messages import SENTENCES, Messages

SLIPS = re.compile(r" [.,;:?!)]|\( | {2}|\bNone\b|\bnan\b|[.,;:]{2}|^[.,;:]|[a-z]{2}\.[A-Z\d]")
"""What a forgotten space, an empty value or a doubled sign leaves in a sentence."""


class Marked(NodeTransformer):
    """Put a mark into every branch of a template's macros; ``names`` says what each of them is."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def _mark(self, node: nodes.Node, branch: str) -> nodes.Const:
        self.names.append(f"line {node.lineno}: {branch}")
        return nodes.Const(len(self.names) - 1)

    def _statement(self, node: nodes.Node, branch: str) -> nodes.Output:
        mark = nodes.Call(nodes.Name("rendered", "load"), [self._mark(node, branch)], [], None, None)
        return nodes.Output([mark])

    def visit_Macro(self, node: nodes.Macro) -> nodes.Macro:
        self.generic_visit(node)
        node.body.insert(0, self._statement(node, f"macro {node.name}"))
        return node

    def visit_If(self, node: nodes.If) -> nodes.If:
        for branch in (node, *node.elif_):
            self.visit(branch.test)
            for child in branch.body:
                self.visit(child)
            branch.body.insert(0, self._statement(branch, "if" if branch is node else "elif"))
        for child in node.else_:
            self.visit(child)
        node.else_.insert(0, self._statement(node, "else"))
        return node

    def visit_For(self, node: nodes.For) -> nodes.For:
        self.generic_visit(node)
        node.body.insert(0, self._statement(node, "for"))
        return node

    def visit_CondExpr(self, node: nodes.CondExpr) -> nodes.CondExpr:
        self.generic_visit(node)
        assert node.expr2 is not None, f"line {node.lineno}: say what stands there otherwise"
        for name, branch in (("expr1", "value if"), ("expr2", "value else")):
            mark, value = self._mark(node, branch), getattr(node, name)
            setattr(node, name, nodes.Call(nodes.Name("rendered", "load"), [mark, value], [], None, None))
        return node


@contextmanager
def every_branch(messages: Messages) -> Iterator[None]:
    """Fail unless what runs in this context renders every branch of every macro, in sentences without a slip.

    An ``if`` has two branches, also where no ``else`` is written.
    """
    assert SENTENCES.loader is not None
    source, file, _ = SENTENCES.loader.get_source(SENTENCES, messages.path)
    marked, seen = Marked(), set[int]()
    tree = marked.visit(SENTENCES.parse(source))
    for node in tree.find_all(nodes.Node):
        node.set_lineno(1)
        node.set_environment(SENTENCES)

    def rendered(mark: int, value: Any = "") -> Any:
        seen.add(mark)
        return value

    names = SENTENCES.make_globals({**messages.functions, "rendered": rendered})
    code = SENTENCES.compile(tree, messages.path, file)
    plain, read = messages.macros, _read(messages.text)
    messages.macros = Template.from_code(SENTENCES, code, names).module
    messages.text = read  # type: ignore[method-assign]
    try:
        yield
    finally:
        messages.macros = plain
        del messages.text
    missed = [name for mark, name in enumerate(marked.names) if mark not in seen]
    assert not missed, f"no test renders these branches of {messages.path}: {missed}"


def _read(render: Callable[..., str]) -> Callable[..., str]:
    """Render as before, and fail where the outcome has a slip."""

    def rendered(sentence: str, /, **values: Any) -> str:
        text = render(sentence, **values)
        in_one_line = " ".join(text.split())
        slip = SLIPS.search(in_one_line)
        assert slip is None, f"{sentence}: “{in_one_line}” has “{slip and slip.group()}”"
        return text

    return rendered
