/**
 * The limit: the rules of `complete` written by hand for one mutable soup, as fast as plain JavaScript goes.
 *
 * B6. One record a thread, found by id in a Map; a mailbox is an array with a head index; children are a linked list; a
 *     worklist of threads. Nothing is copied, no snapshot exists, nothing says which rule fired.
 * B7. Every rule counts as one reduction, as in the engine. Questions are left out: no workload asks any.
 */
const IDLE = 1;
const RUN = 2;
const SEND = 3;
const NO_MAIL = [];

class Thread {
  constructor(id) {
    this.id = id;
    this.agent = "";
    this.state = 0;
    this.turn = 0;
    this.message = undefined;
    this.payloads = NO_MAIL;
    this.next = 0;
    this.owner = "";
    this.mail = undefined;
    this.head = 0;
    this.parent = undefined;
    this.firstChild = undefined;
    this.lastChild = undefined;
    this.before = undefined;
    this.after = undefined;
    this.open = 0;
    this.interrupts = NO_MAIL;
    this.dying = undefined;
    this.closed = false;
    this.ready = false;
  }
}

/** A mutable soup and its interpreter. */
export class MutableSoup {
  constructor({ facts, ready, molecules, agenda, behave }) {
    this.facts = facts;
    this.behave = behave;
    this.threads = new Map();
    for (const id of ready) this.thread(id).ready = true;
    for (const molecule of molecules) this.add(molecule);
    this.work = agenda.map((id) => this.thread(id));
  }

  thread(id) {
    let thread = this.threads.get(id);
    if (thread === undefined) this.threads.set(id, (thread = new Thread(id)));
    return thread;
  }

  add(molecule) {
    const thread = this.thread(molecule.kind === "Parent" ? molecule.child : molecule.thread);
    switch (molecule.kind) {
      case "Idle":
        thread.agent = molecule.agent;
        thread.state = IDLE;
        break;
      case "Mailbox":
        thread.owner = molecule.agent;
        thread.mail = [...molecule.messages];
        break;
      case "Parent":
        this.adopt(this.thread(molecule.thread), thread);
        break;
      case "Terminate":
        this.doom(thread, molecule.mode);
        break;
      case "Interrupt":
        thread.interrupts = [...thread.interrupts, molecule.message];
        break;
      default:
        throw new Error(`no workload starts with ${molecule.kind}`);
    }
  }

  /** Reduces to rest; returns the number of reductions. */
  run() {
    const { work } = this;
    let count = 0;
    while (work.length > 0) {
      const fired = this.step(work[work.length - 1]);
      if (fired === 0) work.pop();
      else count += fired;
    }
    return count;
  }

  /** Fires what the thread can do next; returns how many rules fired. */
  step(thread) {
    if (thread.dying !== undefined) return this.withdraw(thread);
    switch (thread.state) {
      case IDLE:
        return this.wake(thread);
      case RUN:
        return this.turn(thread);
      case SEND:
        return this.broadcast(thread);
      default:
        return 0;
    }
  }

  wake(thread) {
    if (thread.interrupts.length > 0) thread.message = thread.interrupts.shift();
    else if (thread.mail !== undefined && thread.head < thread.mail.length) {
      thread.message = thread.mail[thread.head++];
      if (thread.head > 64 && thread.head * 2 > thread.mail.length) {
        thread.mail = thread.mail.slice(thread.head);
        thread.head = 0;
      }
    } else return 0;
    thread.state = RUN;
    thread.turn++;
    return 1;
  }

  turn(thread) {
    if (thread.interrupts.length > 0) {
      thread.message = thread.interrupts.shift();
      thread.turn++;
      return 1;
    }
    const payloads = this.behave(thread.id, thread.turn);
    thread.message = undefined;
    if (payloads === undefined) thread.state = IDLE;
    else {
      thread.payloads = payloads;
      thread.next = 0;
      thread.state = SEND;
    }
    return 1;
  }

  broadcast(thread) {
    if (thread.next === thread.payloads.length) {
      thread.payloads = NO_MAIL;
      thread.state = IDLE;
      return 1;
    }
    const payload = thread.payloads[thread.next];
    if (payload.kind === "deliver") {
      const target = this.thread(payload.thread);
      if (this.delivers(thread, target, payload)) {
        target.mail.push(payload.message);
        this.work.push(target);
      } else if (!this.sparks(thread, target, payload)) return this.refuse(thread, target, payload);
    } else {
      const target = this.thread(payload.thread);
      const ended = target.dying !== undefined || target.closed;
      if (!ended && target.parent !== thread) return this.refuse(thread, target, payload);
      if (!ended) this.doom(target, "merge");
      this.work.push(target);
    }
    thread.next++;
    return 1;
  }

  delivers(thread, target, payload) {
    return (
      (target.parent === thread || thread.parent === target) &&
      target.dying === undefined &&
      target.mail !== undefined &&
      target.owner === payload.agent
    );
  }

  sparks(thread, target, payload) {
    const roster = this.facts.rosters[thread.agent];
    if (target === thread || !target.ready || !isUnused(target)) return false;
    if (roster === undefined || !roster.includes(payload.agent) || thread.open >= this.facts.cap)
      return false;
    target.agent = target.owner = payload.agent;
    target.state = IDLE;
    target.mail = [payload.message];
    this.adopt(thread, target);
    this.work.push(target);
    return true;
  }

  /** A spark whose workspace is not known yet waits; every other payload that comes here goes back. */
  refuse(thread, target, payload) {
    const { agent, kind } = payload;
    const waits = kind === "deliver" && isUnused(target) && this.facts.rosters[thread.agent]?.includes(agent);
    if ((waits && thread.open < this.facts.cap) || thread.mail === undefined) return 0;
    thread.mail.push({ id: "", from: null, kind: "refusal", body: "", re: target.id });
    thread.next++;
    return 1;
  }

  /** cascade, the term rules, term-final. */
  withdraw(thread) {
    for (let child = thread.firstChild; child !== undefined; child = child.after) {
      if (child.dying !== undefined) continue;
      this.doom(child, "drop");
      this.work.push(child);
      return 1;
    }
    if (thread.state !== 0) {
      thread.state = 0;
      thread.message = undefined;
      thread.payloads = NO_MAIL;
    } else if (thread.mail !== undefined) thread.mail = undefined;
    else if (thread.interrupts.length > 0) thread.interrupts.shift();
    else if (thread.firstChild === undefined) this.close(thread);
    else return 0;
    return 1;
  }

  doom(thread, mode) {
    thread.dying = mode;
    if (thread.parent !== undefined) thread.parent.open--;
  }

  adopt(parent, child) {
    child.parent = parent;
    child.before = parent.lastChild;
    if (parent.lastChild === undefined) parent.firstChild = child;
    else parent.lastChild.after = child;
    parent.lastChild = child;
    parent.open++;
  }

  close(thread) {
    const { parent, before, after } = thread;
    thread.dying = undefined;
    thread.closed = true;
    if (parent === undefined) return;
    if (before === undefined) parent.firstChild = after;
    else before.after = after;
    if (after === undefined) parent.lastChild = before;
    else after.before = before;
    thread.parent = thread.before = thread.after = undefined;
    this.work.push(parent);
  }

  /** Soup and closed threads in notation, for threads at rest. */
  final() {
    const soup = [];
    const closed = [];
    for (const { id, agent, state, owner, mail, head, parent, closed: ended } of this.threads.values()) {
      if (ended) closed.push(id);
      if (state === IDLE) soup.push(`Idle(${agent},${id})`);
      if (mail !== undefined)
        soup.push(`Mailbox(${owner},${id},[${mail.slice(head).map(({ body }) => body)}])`);
      if (parent !== undefined) soup.push(`Parent(${id},${parent.id})`);
    }
    return { soup: soup.sort(), closed: closed.sort() };
  }
}

function isUnused(thread) {
  return (
    thread.state === 0 &&
    thread.mail === undefined &&
    thread.parent === undefined &&
    thread.firstChild === undefined &&
    thread.dying === undefined &&
    !thread.closed
  );
}
