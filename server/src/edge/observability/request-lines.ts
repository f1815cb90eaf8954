import pc from 'picocolors'
import type { Output } from './output.ts'

/** A request as shown in the terminal. */
export interface RequestLine {
  readonly method: string
  /** The path as sent, without the query string. */
  readonly path: string
  /** Undefined if the client disconnected before the response. */
  readonly status: number | undefined
  readonly code: string | undefined
  readonly durationMs: number
  readonly httpRequestId: string
}

type Colors = Pick<typeof pc, 'green' | 'yellow' | 'red' | 'dim'>

const METHOD_WIDTH = 6
const PATH_WIDTH = 44
const PATH_CHARACTERS_MAX = 120
const TIME_WIDTH = 9

/** Formats one line: status, method, path, error code, duration, request id. */
export function requestLine(line: RequestLine, colors: Colors): string {
  const { method, path, status, code, durationMs, httpRequestId } = line
  const call = `${toPrintable(method).padEnd(METHOD_WIDTH)} ${toPrintable(path).padEnd(PATH_WIDTH)}`
  const shownCode = code === undefined ? '' : ` ${pickColor(status, colors)(code)}`
  const time = `${durationMs.toFixed(durationMs < 10 ? 1 : 0)} ms`.padStart(TIME_WIDTH)
  return `${pickColor(status, colors)(String(status ?? '---'))} ${call}${shownCode}${colors.dim(`${time}  ${httpRequestId}`)}`
}

function pickColor(status: number | undefined, { green, yellow, red }: Colors): (text: string) => string {
  if (status === undefined || status >= 500) return red
  return status >= 400 ? yellow : green
}

/** Makes a path printable. Callers choose its content, and terminals interpret control characters. */
function toPrintable(text: string): string {
  const safeText = text.replaceAll(/[^\x21-\x7e]/g, '?')
  return safeText.length > PATH_CHARACTERS_MAX ? `${safeText.slice(0, PATH_CHARACTERS_MAX)}…` : safeText
}

/** Writes a line for each request. Lines of one turn of the event loop are written together. */
export function requestLines(output: Output, colors: Colors = pc): (line: RequestLine) => void {
  let lines: string[] = []
  const flush = () => {
    output.write(`${lines.join('\n')}\n`)
    lines = []
  }
  return (line) => {
    if (lines.length === 0) setImmediate(flush)
    lines.push(requestLine(line, colors))
  }
}
