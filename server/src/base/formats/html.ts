/** A string that is already HTML. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Values of a template: strings are escaped, empty values are skipped. */
export type Part = Html | string | number | null | undefined | false | readonly Part[]

/** A piece of HTML. Every value is escaped, unless it is HTML itself. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, at) => text + textOf(parts[at])).join(''))
}

function textOf(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(textOf).join('')
  return escapeHtml(String(part))
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Safe in text and in a quoted attribute. Characters that set the direction of text are removed. */
function escapeHtml(text: string): string {
  return text.replace(/[\p{Bidi_Control}]/gu, '').replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}
