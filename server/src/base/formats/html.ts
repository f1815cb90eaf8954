/** A string that is already HTML. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Values in a template: strings are escaped, empty values are omitted. */
export type Part = Html | string | number | null | undefined | false | readonly Part[]

/** Builds HTML from a template. Every value is escaped unless it is `Html`. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, index) => text + renderPart(parts[index])).join(''))
}

function renderPart(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(renderPart).join('')
  return escapeHtml(String(part))
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * Escapes text for use in elements and quoted attributes. Removes characters that set the direction of text.
 */
function escapeHtml(text: string): string {
  return text.replace(/[\p{Bidi_Control}]/gu, '').replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}
