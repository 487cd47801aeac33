# For CI: hexapla without a site. docker build -t hexapla . && docker run --rm -v "$PWD:/docs" hexapla check
FROM python:3.11-slim
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends git && rm -rf /var/lib/apt/lists/*
COPY . /src
RUN pip install --no-cache-dir -c /src/constraints.txt "/src[translate]" && rm -rf /src
# The tree is mounted, and belongs to somebody else.
RUN git config --system --add safe.directory '*'
WORKDIR /docs
ENTRYPOINT ["hexapla"]
