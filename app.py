"""The dashboard's entry: started, it is the server's application; run by that, it only routes."""

from streamlit.starlette import App

from dashboard.frame import server, shell

if __name__ == "__main__":
    shell.route()
else:
    app = App(__file__, **server.around())
