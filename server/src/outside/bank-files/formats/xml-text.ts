/** What is in XML 1.0 as it stands: everything else cannot be written at all. */
const UNWRITABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** What an element holds: its text, or its elements, written already. What is absent is left out. */
export type Content = string | readonly (Element | undefined)[]

/** An element that is written. The type keeps text from being taken for one. */
export type Element = string & { readonly element: unique symbol }

/** Writes an element: `element('Nm', 'A & B')` is `<Nm>A &amp; B</Nm>`. Attributes are given as they stand in the tag. */
export function element(name: string, content: Content, attributes = ''): Element {
  const inside =
    typeof content === 'string' ? escaped(content) : content.filter((one) => one !== undefined).join('')
  return `<${name}${attributes}>${inside}</${name}>` as Element
}

/** An element, or nothing where there is no text. */
export function optional(name: string, text: string | undefined): Element | undefined {
  return text === undefined ? undefined : element(name, text)
}

function escaped(text: string): string {
  if (UNWRITABLE.test(text)) throw new RangeError('XML cannot carry a control character')
  return text.replaceAll(/[&<>]/g, (character) => ESCAPES[character] ?? '')
}
