# The program jewel, for machines of the architecture that builds the image.
#
#   docker build -t jewel .
#   docker run --rm -it -v "$PWD:/work" jewel solve duel
FROM rust:1.95-slim-bookworm AS build
WORKDIR /src
COPY . .
RUN tools/portable build --release --locked -p jewel-cli && strip target/portable/release/jewel

FROM debian:bookworm-slim
COPY --from=build /src/target/portable/release/jewel /usr/local/bin/jewel
COPY LICENSE-APACHE LICENSE-MIT /usr/share/doc/jewel/
WORKDIR /work
ENTRYPOINT ["jewel"]
CMD ["--help"]
