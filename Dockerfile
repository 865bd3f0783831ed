# Grading where the system has no Linux isolation of its own (macOS, Windows):
#   docker build -t autograder .
#   docker run --rm --security-opt seccomp=unconfined -v "$PWD/submissions:/work/submissions:ro" -v "$PWD/class:/work/class" \
#       autograder grade submissions --class class
# Docker's own seccomp filter forbids the namespaces and landlock calls that the grader locks student code away with;
# the grader then puts a stricter filter around every submission.
FROM python:3.12-slim
WORKDIR /course
COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt
COPY . .
RUN python -m autograder release --trust-students && useradd --create-home grader && mkdir /work && chown grader /work
USER grader
WORKDIR /work
ENV PYTHONPATH=/course
ENTRYPOINT ["python", "-m", "autograder"]
CMD ["doctor"]
