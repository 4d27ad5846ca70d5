# The dashboard on port 8501. There is no login: `compose.yaml` serves it to this machine alone.
FROM python:3.12-slim

RUN useradd --create-home tarstop
WORKDIR /home/tarstop/checkout
COPY requirements.txt ./
RUN pip install --no-cache-dir -r requirements.txt
COPY . .
RUN pip install --no-cache-dir ".[app,postgres]" && rm -rf /home/tarstop/checkout/*

USER tarstop
WORKDIR /home/tarstop
EXPOSE 8501
CMD ["tarstop", "app", "--address", "0.0.0.0", "--no-login", "--host", "localhost", "--headless"]
