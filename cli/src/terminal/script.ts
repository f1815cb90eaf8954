import { API, type EndpointName } from '@countersign/contract/api'

const SENT_WIDTH = 50
const LABEL_WIDTH = 17
const INDENT = ' '.repeat(5)

/** Prints the numbered steps of a demo: what happens and why, followed by the results. */
export class Script {
  readonly #write: (text: string) => void
  #steps = 0

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  /** Starts a step that makes an API call. */
  call(name: EndpointName, why: string): void {
    const { method, path } = API[name]
    this.step(`${method} ${path}`, why)
  }

  /** Starts a step that does not use the network. */
  step(action: string, why: string): void {
    this.#steps++
    const number = String(this.#steps).padStart(3)
    this.#write(`\n${number}  ${action.padEnd(SENT_WIDTH)}${why}`.trimEnd())
    this.#write('\n')
  }

  /** Prints one result of the current step. */
  show(label: string, value: string): void {
    this.#write(`${INDENT}${label.padEnd(LABEL_WIDTH)}${value}\n`)
  }

  line(text = ''): void {
    this.#write(`${text}\n`)
  }
}

/** Breaks text at spaces into lines of at most `width` characters. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line ? `${line} ${word}` : word
  }
  return [...lines, line]
}
