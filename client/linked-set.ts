export interface Link {
  /** Takes the member out of the set; taking it out again has no effect. */
  remove(): void
}

/**
 * A set whose members come and go with each call. A `Set` would make each of them expensive: V8
 * replaces its table now and then, and a discarded table that has reached the old generation keeps
 * what was last in it, and all tables after it, until a full collection: whole responses survive.
 * Here nothing that was taken out refers to anything that is still in, nor the reverse.
 */
export class LinkedSet<T> {
  readonly #ring = new Node<T>(undefined)

  get isEmpty(): boolean {
    return this.#ring.next === this.#ring
  }

  add(value: T): Link {
    const node = new Node(value)
    const { previous } = this.#ring
    node.previous = previous
    node.next = this.#ring
    previous.next = node
    this.#ring.previous = node
    return node
  }

  /** Takes out what was added first; undefined when the set is empty. */
  takeFirst(): T | undefined {
    const { value } = this.#ring.next
    this.#ring.next.remove()
    return value
  }

  all(): T[] {
    const all: T[] = []
    for (let node = this.#ring.next; node !== this.#ring; node = node.next) all.push(node.value!)
    return all
  }
}

class Node<T> implements Link {
  previous: Node<T> = this
  next: Node<T> = this

  constructor(public value: T | undefined) {}

  remove(): void {
    this.previous.next = this.next
    this.next.previous = this.previous
    this.previous = this.next = this
    this.value = undefined
  }
}
