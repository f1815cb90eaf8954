/** Text that is HTML already. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What may stand in a template: text is escaped, nothing is left out. */
export type Part = Html | string | number | null | undefined | false | readonly Part[]

/** A piece of HTML. Everything that is put into it is escaped, unless it is HTML itself. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, at) => text + textOf(parts[at])).join(''))
}

function textOf(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(textOf).join('')
  return escaped(String(part))
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Safe as text and within a quoted attribute. Characters that set the direction of text are taken out. */
function escaped(text: string): string {
  return text.replace(/[\p{Bidi_Control}]/gu, '').replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}
