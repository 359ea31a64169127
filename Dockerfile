# verdiff with everything that it needs:
#
#     docker build -t verdiff .
#     docker run --rm -v "$PWD:/src" verdiff old.c new.c
#     docker run --rm -v "$PWD:/src" verdiff git HEAD~1

FROM rust:1-bookworm AS build
WORKDIR /build
COPY . .
# Installs clang 19, LLVM 19 and Z3, as a contributor does.
RUN cargo xtask setup && cargo install --locked --path crates/cli --root /install

FROM debian:bookworm-slim
# clang compiles the versions, for the analysis and to run their differences; cvc5 is for `verdiff audit`.
RUN apt-get update \
    && apt-get install -y --no-install-recommends clang-19 libclang-rt-19-dev libc6-dev libllvm19 libz3-4 cvc5 git \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /install/bin/ /usr/local/bin/
# A repository that is mounted belongs to another user; it is only read.
RUN git config --system --add safe.directory '*'
WORKDIR /src
ENTRYPOINT ["verdiff"]
