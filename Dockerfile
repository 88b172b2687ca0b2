# The dashboard in a container, for this computer only:
#   docker build -t ranklens .
#   docker run --rm -p 127.0.0.1:8501:8501 -v ranklens:/workspace ranklens
# Open the address that it prints. For another port or other computers see docs/security.md.

FROM python:3.13-slim AS build
RUN python -m venv /opt/ranklens
ENV PATH=/opt/ranklens/bin:$PATH PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /source
COPY requirements.lock .
RUN pip install --require-hashes -r requirements.lock
COPY . .
RUN pip install --no-deps .
# Away from the sources, so that the installed package gets the code compiled for this machine.
WORKDIR /
RUN metrics-core prepare

FROM python:3.13-slim
RUN useradd --create-home --uid 1000 ranklens && install -d -o ranklens -m 700 /workspace
COPY --from=build /opt/ranklens /opt/ranklens
ENV PATH=/opt/ranklens/bin:$PATH RANKLENS_WORKSPACE=/workspace
USER ranklens
WORKDIR /home/ranklens
VOLUME /workspace
EXPOSE 8501
ENTRYPOINT ["ranklens"]
# All addresses of the container; the token is still required.
CMD ["--host", "0.0.0.0"]
