# For CI: hexapla without a site. The tree's owner runs it, since git reads no repository that belongs to another user:
# docker build -t hexapla . && docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/docs" hexapla check
FROM python:3.11-slim
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends git && rm -rf /var/lib/apt/lists/*
COPY . /src
RUN pip install --no-cache-dir -c /src/constraints.txt "/src[translate]" && rm -rf /src
WORKDIR /docs
ENTRYPOINT ["hexapla"]
