/** The job file that `cfa init` writes: commented, and it runs as it is on any repository with nothing but a shell. */

/** Text of the file. The lead plays the three states; a worker of its own writes one file, which is merged. */
export const INIT_TEMPLATE = `# A job for cfa. Check it with "cfa validate", start it with "cfa run". docs/job.md explains every key.
version: 1
name: hello
request: Leave a greeting in this repository.

repository: .                # relative to this file; --repo overrides it
base: HEAD                   # the commit that the work starts from
deliver: branch              # the result stays on the branch cfa/<job>; your own branches are untouched

# An agent is any program. It gets its message on standard input, works in a git worktree, talks back with
# cfa send, cfa ask, cfa close and cfa outcome, and what it prints is its answer.
agents:
  lead:
    roster: [worker]         # whom it may dispatch work to
    sandbox: required        # it runs inside a boundary or not at all; advisory: without one
    env: [HOME]              # what it sees of your environment, beside PATH
    run:
      - sh
      - -euc
      - |
        cat >/dev/null       # the message; a real agent reads it
        case "$CFA_STATE" in
          INTENT)            # agree on what is wanted
            echo "A file that greets whoever reads it." >INTENT.md
            cfa outcome APPROVED_INTENT --reason "the request is clear"
            ;;
          PLAN)              # decide how it is done
            echo "A worker writes cfa-hello.md." >PLAN.md
            cfa outcome APPROVED_PLAN --reason "one worker is enough"
            ;;
          EXECUTE)           # do it: the first turn dispatches, the second takes the reply
            if [ ! -f WORK_SUMMARY.md ]; then
              thread=$(cfa send --to worker "Write cfa-hello.md.")
              echo "A worker wrote cfa-hello.md in $thread." >WORK_SUMMARY.md
            else
              thread=$(sed -n 's/.* in \\(.*\\)\\.$/\\1/p' WORK_SUMMARY.md)
              cfa close "$thread"   # merges what the worker made
              cfa outcome APPROVED_WORK --reason "the greeting is written"
            fi
            ;;
        esac
  worker:
    run:
      - sh
      - -euc
      - |
        cat >/dev/null
        echo "Hello from cfa." >cfa-hello.md
        echo "cfa-hello.md is written."   # printed: the reply to the lead

# The three states are led by the agent called lead, with these skills, unless you say otherwise.
states:
  INTENT: { escalation: never }      # how often the human is asked: never, when_unsure, always
  PLAN: { escalation: never }
  EXECUTE: { escalation: never, state_timeout: 30m }

limits: { fan_out: 3, concurrency: 4, timeout: 10m, retries: 2, backtracks: 5, max_turns: 20 }
budget: { turns: 50 }        # spent: the job is parked (exit 5), and goes on after cfa resume --budget turns=100
deadline: 24h                # passed: the job fails
`;
