/** Matches characters that XML 1.0 cannot contain, even escaped. */
const UNWRITABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/**
 * The content of an element: its text, or the elements in it, already written. Undefined elements are
 * omitted.
 */
export type Content = string | readonly (Element | undefined)[]

/** A written element. The type tells it apart from unescaped text. */
export type Element = string & { readonly element: unique symbol }

/**
 * Writes an element: `element('Nm', 'A & B')` is `<Nm>A &amp; B</Nm>`. Attributes are written as in the tag.
 */
export function element(name: string, content: Content, attributes = ''): Element {
  const inside =
    typeof content === 'string' ? escapeXml(content) : content.filter((child) => child !== undefined).join('')
  return `<${name}${attributes}>${inside}</${name}>` as Element
}

/** Writes an element, or nothing if there is no text. */
export function optional(name: string, text: string | undefined): Element | undefined {
  return text === undefined ? undefined : element(name, text)
}

function escapeXml(text: string): string {
  if (UNWRITABLE.test(text)) throw new RangeError('XML cannot contain control characters')
  return text.replaceAll(/[&<>]/g, (character) => ESCAPES[character] ?? '')
}
