# The dashboard on port 8501, for whoever logs in: `compose.yaml` puts a proxy with TLS and passwords before it.
FROM python:3.12-slim

RUN useradd --create-home --uid 10001 tarstop && mkdir -p /home/tarstop/.local/share/tarstop && chown -R tarstop /home/tarstop/.local
WORKDIR /home/tarstop/checkout
COPY requirements.txt ./
RUN pip install --no-cache-dir -r requirements.txt
COPY . .
RUN pip install --no-cache-dir ".[app,postgres]" && rm -rf /home/tarstop/checkout/*

USER 10001
WORKDIR /home/tarstop
VOLUME /home/tarstop/.local/share/tarstop
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/health', timeout=4)"]
CMD ["tarstop", "app", "--address", "0.0.0.0", "--headless"]
