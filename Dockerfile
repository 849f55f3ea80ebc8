# syntax=docker/dockerfile:1
# Two stages: the compiler stays behind, the image holds one binary, certificates and a user without rights.

FROM rust:1.95-bookworm AS build
WORKDIR /build
COPY . .
# Dependencies stay in the builder's cache, so that a change of ours compiles only ours.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/build/target \
    cargo build --release --locked && cp target/release/sekisho /sekisho

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin sekisho \
    && install -d -o sekisho -g sekisho /data
COPY --from=build /sekisho /usr/local/bin/sekisho
USER sekisho
WORKDIR /data
ENV SEKISHO_LISTEN=0.0.0.0:3000 \
    DATABASE_URL=sqlite:/data/sekisho.db
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
ENTRYPOINT ["sekisho"]
CMD ["serve"]
