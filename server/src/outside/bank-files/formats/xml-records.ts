import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes'
import { decodeXml } from './decode-text.ts'
import { UnreadableFile } from './unreadable-file.ts'

/** An element: its local name, its own trimmed text, and its child elements. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  text: string
  readonly children: XmlElement[]
}

/** A record: an element at one of the requested paths, with its ancestors as read so far. */
export interface XmlRecord {
  readonly path: string
  readonly element: XmlElement
  /** From the document down to the element's parent. They no longer contain earlier records. */
  readonly within: readonly XmlElement[]
}

/** A reader of one document. A file may contain several documents, each inside envelopes. */
export interface DocumentReader<Found> {
  /**
   * Paths of local names within the document, such as `BkToCstmrStmt/Stmt/Ntry`. Documents without any such
   * path are skipped.
   */
  readonly records: ReadonlySet<string>
  /** Called with each complete record, before anything after it is read. */
  take(record: XmlRecord): readonly Found[]
  /**
   * Called with an element of a foreign namespace at a position where the schemas allow only their own. It is
   * not part of any record.
   */
  takeForeign(record: XmlRecord): readonly Found[]
  /** Called at the end of the document. */
  end(): readonly Found[]
}

/** Creates the reader for a document from its namespace and element name. */
export type DocumentOpener<Found> = (namespace: string, name: string) => DocumentReader<Found>

/** The root elements of ISO 20022 and of Bacs. */
const DOCUMENTS: ReadonlySet<string> = new Set(['Document', 'BACSDocument'])

const NO_ATTRIBUTES: Readonly<Record<string, string>> = {}

/**
 * Memory limits, far above the size of real files: the longest text that the schemas allow has 500
 * characters.
 */
const LIMITS = {
  depth: 64,
  /**
   * Elements in memory at a time: a record and the headers around it. The longest records of banks have a few
   * hundred.
   */
  elements: 20_000,
  attributes: 100,
  /** Characters in memory at a time, and the maximum length of a text, a tag or a comment. */
  characters: 1_000_000,
} as const

/**
 * Reads the documents of an XML file record by record, in constant memory. A document is a `Document` or
 * `BACSDocument` element, at the root or inside envelopes such as `BizMsgEnvlp`, which are discarded. Throws
 * UnreadableFile if the file is malformed or truncated, has a DTD (so that nothing in it can refer to
 * external content), or exceeds the limits; with `readTwice`, the records before the error have no effect.
 */
export async function* readXmlRecords<Found>(
  bytes: AsyncIterable<Uint8Array>,
  open: DocumentOpener<Found>,
): AsyncGenerator<Found> {
  const reader = new RecordReader(open)
  for await (const text of decodeXml(bytes)) yield* reader.read(text)
  yield* reader.end()
}

/** Treatment of an element: it belongs to a document or to an envelope around one, or it is skipped. */
type Use = 'document' | 'envelope' | 'skipped' | 'foreign'

interface OpenElement {
  readonly use: Use
  readonly element: XmlElement
  /** Relative to the document. */
  readonly path: string
  /** The amounts in memory when it began. */
  readonly elementsBefore: number
  readonly charactersBefore: number
}

class RecordReader<Found> {
  // Parsed as a fragment, which may have several roots: some banks concatenate files.
  readonly #parser = new SaxesParser({ xmlns: true, position: true, fragment: true })
  readonly #opener: DocumentOpener<Found>
  readonly #open: OpenElement[] = []
  #document: { readonly reader: DocumentReader<Found>; readonly namespace: string } | undefined
  #documents = 0
  /** Elements and characters currently in memory. */
  #elements = 0
  #characters = 0
  #positionOfLastEvent = 0
  #isInDeclaration = false
  #found: Found[] = []

  constructor(opener: DocumentOpener<Found>) {
    this.#opener = opener
    const parser = this.#parser
    parser.on('doctype', () => this.#refuse('has a DTD, which is not allowed'))
    parser.on('error', ({ message }) => this.#fault(message))
    parser.on('opentag', (tag) => this.#begin(tag))
    parser.on('text', (text) => this.#text(text))
    parser.on('cdata', (text) => this.#text(text))
    parser.on('comment', () => this.#noteEvent())
    parser.on('xmldecl', () => this.#noteEvent())
    parser.on('processinginstruction', () => this.#noteEvent())
    parser.on('closetag', () => this.#finish())
  }

  *read(text: string): Generator<Found> {
    if (text === '') return
    this.#parser.write(text)
    if (this.#parser.position - this.#positionOfLastEvent > LIMITS.characters + text.length)
      this.#refuse(`has a text of more than ${LIMITS.characters} characters`)
    yield* this.#takeFound()
  }

  *end(): Generator<Found> {
    this.#parser.close()
    if (this.#documents === 0) this.#refuse('has no ISO 20022 document')
    yield* this.#takeFound()
  }

  #takeFound(): Found[] {
    const found = this.#found
    this.#found = []
    return found
  }

  #fault(message: string): void {
    const what = message.replace(/^\d+:\d+: /, '')
    if (/doctype/i.test(what)) this.#refuse('has a DTD, which is not allowed')
    // Concatenated documents each have an XML declaration, which is ignored.
    this.#isInDeclaration ||= this.#open.length === 0 && /an XML declaration must be at the start/i.test(what)
    if (!this.#isInDeclaration) this.#refuse(`is not XML: ${what}`)
  }

  #begin(tag: SaxesTagNS): void {
    this.#noteEvent()
    if (this.#open.length >= LIMITS.depth) this.#refuse(`is more than ${LIMITS.depth} elements deep`)
    const parent = this.#open.at(-1)
    const use = this.#useOf(tag, parent)
    const element: XmlElement = { name: tag.local, attributes: this.#attributes(tag), text: '', children: [] }
    const before = { elementsBefore: this.#elements, charactersBefore: this.#characters }
    if (use === 'document' || use === 'foreign') this.#hold(1, charactersOf(element))
    if (this.#document && use !== 'skipped' && parent && parent.use !== 'envelope')
      parent.element.children.push(element)
    this.#open.push({ use, element, path: pathBelow(parent, tag.local), ...before })
  }

  #useOf({ local, uri }: SaxesTagNS, parent: OpenElement | undefined): Use {
    if (this.#document) {
      if (parent?.use === 'skipped' || parent?.use === 'foreign') return parent.use
      // Additions by the bank itself.
      if (local === 'SplmtryData' || this.#document.reader.records.size === 0) return 'skipped'
      return uri === this.#document.namespace ? 'document' : 'foreign'
    }
    if (!DOCUMENTS.has(local)) return 'envelope'
    this.#documents += 1
    this.#document = { reader: this.#opener(uri, local), namespace: uri }
    return 'document'
  }

  #attributes({ attributes }: SaxesTagNS): Readonly<Record<string, string>> {
    const found = Object.values<SaxesAttributeNS>(attributes)
    if (found.length === 0) return NO_ATTRIBUTES
    if (found.length > LIMITS.attributes) this.#refuse(`has more than ${LIMITS.attributes} attributes`)
    return Object.fromEntries(found.map(({ local, value }) => [local, value]))
  }

  #hold(elements: number, characters: number): void {
    this.#elements += elements
    this.#characters += characters
    if (this.#elements > LIMITS.elements)
      this.#refuse(`has a record of more than ${LIMITS.elements} elements`)
    if (this.#characters > LIMITS.characters)
      this.#refuse(`has a record of more than ${LIMITS.characters} characters`)
  }

  #text(text: string): void {
    this.#noteEvent()
    const open = this.#open.at(-1)
    if (!open) {
      if (/[^\s\ufeff\ufffd]/.test(text)) this.#refuse('has text outside of its elements')
      return
    }
    if (open.use !== 'document' && open.use !== 'foreign') return
    // Whitespace between elements is ignored. A statement has as much of it as it has entries.
    if (open.element.text === '' && text.trim() === '') return
    this.#hold(0, text.length)
    open.element.text += text
  }

  #finish(): void {
    this.#noteEvent()
    const open = this.#open.pop()
    const document = this.#document
    if (!open || !document) return
    const { element, path, use } = open
    const parent = this.#open.at(-1)?.use ?? 'envelope'
    if (use === 'foreign' && parent !== 'foreign') {
      this.#forget(open)
      this.#found.push(...document.reader.takeForeign({ path, element, within: this.#openElements() }))
    }
    if (use !== 'document') return
    element.text = element.text.trim()
    if (document.reader.records.has(path)) {
      // Records are released, and only the headers around them stay in memory, of which a file has few.
      this.#found.push(...document.reader.take({ path, element, within: this.#openElements() }))
      this.#forget(open)
    }
    if (parent !== 'envelope') return
    this.#found.push(...document.reader.end())
    this.#document = undefined
    this.#forget(open)
  }

  #openElements(): XmlElement[] {
    return this.#open.filter((one) => one.use !== 'envelope').map((one) => one.element)
  }

  #forget({ elementsBefore, charactersBefore }: OpenElement): void {
    const parent = this.#open.at(-1)
    if (parent && parent.use !== 'envelope') parent.element.children.pop()
    this.#elements = elementsBefore
    this.#characters = charactersBefore
  }

  #noteEvent(): void {
    this.#positionOfLastEvent = this.#parser.position
    this.#isInDeclaration = false
  }

  #refuse(what: string): never {
    throw new UnreadableFile(`line ${this.#parser.line}: ${what}`)
  }
}

function charactersOf({ name, attributes }: XmlElement): number {
  return name.length + Object.values(attributes).reduce((sum, value) => sum + value.length, 0)
}

function pathBelow(parent: OpenElement | undefined, name: string): string {
  if (parent === undefined || parent.use === 'envelope') return ''
  return parent.path === '' ? name : `${parent.path}/${name}`
}

/** The first element at a path of local names inside another element. */
export function findBelow(element: XmlElement | undefined, path: string): XmlElement | undefined {
  let found = element
  for (const name of path.split('/')) found = found?.children.find((child) => child.name === name)
  return found
}

/** All direct children with a name. */
export function allBelow(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? []
}

/** The first non-empty text at these paths. */
export function textBelow(element: XmlElement | undefined, ...paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const text = findBelow(element, path)?.text
    if (text) return text
  }
  return undefined
}
