/**
 * Bytes that have arrived and are not read yet.
 */
export class BytePile {
  private bytes = Buffer.alloc(8192)
  private start = 0
  private end = 0

  get length() {
    return this.end - this.start
  }

  /** The bytes from the oldest on. What it gives is valid until the next `add`. */
  view(from = 0, to = this.length): Buffer {
    return this.bytes.subarray(this.start + from, this.start + to)
  }

  add(chunk: Buffer) {
    if (this.end + chunk.length > this.bytes.length) this.makeRoom(chunk.length)
    chunk.copy(this.bytes, this.end)
    this.end += chunk.length
  }

  /** Forgets the oldest bytes. */
  drop(count: number) {
    this.start += count
    if (this.start === this.end) [this.start, this.end] = [0, 0]
  }

  private makeRoom(count: number) {
    const needed = this.length + count
    const bytes = needed * 2 <= this.bytes.length ? this.bytes : Buffer.alloc(needed * 2)
    this.bytes.copy(bytes, 0, this.start, this.end)
    ;[this.bytes, this.end, this.start] = [bytes, this.length, 0]
  }
}
