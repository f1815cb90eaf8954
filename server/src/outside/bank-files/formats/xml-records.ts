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

/** A record: an element at one of the requested paths, with its ancestors as far as they have been read. */
export interface XmlRecord {
  readonly path: string
  readonly element: XmlElement
  /** From the document down to the parent. Earlier records have been removed. */
  readonly within: readonly XmlElement[]
}

/** A reader of one document. A file may contain several documents, each inside envelopes. */
export interface DocumentReader<Found> {
  /**
   * Paths of local names within the document, such as `BkToCstmrStmt/Stmt/Ntry`. If empty, the document is
   * skipped.
   */
  readonly records: ReadonlySet<string>
  /** Called with each complete record, before anything after it is read. */
  take(record: XmlRecord): readonly Found[]
  /**
   * Called with an element of a foreign namespace at a position at which the schemas do not allow one. It is
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
 * Memory limits, far above the size of real files. The longest text that the schemas allow has 500
 * characters.
 */
const LIMITS = {
  depth: 64,
  /**
   * Elements in memory at a time: a record and the headers around it. The longest real records have a few
   * hundred.
   */
  elements: 20_000,
  attributes: 100,
  /** Characters in memory at a time, and the maximum length of a text, a tag or a comment. */
  characters: 1_000_000,
} as const

/**
 * Reads the documents of an XML file record by record, in constant memory, for use with `readTwice`. A
 * document is an element `Document` or `BACSDocument`, at the root or inside envelopes. Throws UnreadableFile
 * if the file is malformed, truncated or too large, or has a DTD, which could refer to external content.
 */
export async function* readXmlRecords<Found>(
  bytes: AsyncIterable<Uint8Array>,
  open: DocumentOpener<Found>,
): AsyncGenerator<Found> {
  const reader = new RecordReader(open)
  for await (const text of decodeXml(bytes)) yield* reader.read(text)
  yield* reader.end()
}

/** The role of an element: it belongs to a document or to an envelope around one, or it is skipped. */
type Use = 'document' | 'envelope' | 'skipped' | 'foreign'

interface OpenElement {
  readonly use: Use
  readonly element: XmlElement
  /** Relative to the document. */
  readonly path: string
  /** The number of elements and characters in memory when the element began. */
  readonly elementsBefore: number
  readonly charactersBefore: number
}

class RecordReader<Found> {
  // A fragment may have several roots, because some banks concatenate files.
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
    parser.on('error', ({ message }) => this.#handleFault(message))
    parser.on('opentag', (tag) => this.#begin(tag))
    parser.on('text', (text) => this.#addText(text))
    parser.on('cdata', (text) => this.#addText(text))
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

  #handleFault(message: string): void {
    const fault = message.replace(/^\d+:\d+: /, '')
    if (/doctype/i.test(fault)) this.#refuse('has a DTD, which is not allowed')
    // Concatenated documents each have an XML declaration, which is ignored.
    this.#isInDeclaration ||=
      this.#open.length === 0 && /an XML declaration must be at the start/i.test(fault)
    if (!this.#isInDeclaration) this.#refuse(`is not XML: ${fault}`)
  }

  #begin(tag: SaxesTagNS): void {
    this.#noteEvent()
    if (this.#open.length >= LIMITS.depth) this.#refuse(`is more than ${LIMITS.depth} elements deep`)
    const parent = this.#open.at(-1)
    const use = this.#classify(tag, parent)
    const element: XmlElement = {
      name: tag.local,
      attributes: this.#readAttributes(tag),
      text: '',
      children: [],
    }
    const before = { elementsBefore: this.#elements, charactersBefore: this.#characters }
    if (use === 'document' || use === 'foreign') this.#countHeld(1, countCharacters(element))
    if (this.#document && use !== 'skipped' && parent && parent.use !== 'envelope')
      parent.element.children.push(element)
    this.#open.push({ use, element, path: joinPath(parent, tag.local), ...before })
  }

  #classify({ local, uri }: SaxesTagNS, parent: OpenElement | undefined): Use {
    if (this.#document) {
      if (parent?.use === 'skipped' || parent?.use === 'foreign') return parent.use
      // Banks add their own elements in `SplmtryData`.
      if (local === 'SplmtryData' || this.#document.reader.records.size === 0) return 'skipped'
      return uri === this.#document.namespace ? 'document' : 'foreign'
    }
    if (!DOCUMENTS.has(local)) return 'envelope'
    this.#documents += 1
    this.#document = { reader: this.#opener(uri, local), namespace: uri }
    return 'document'
  }

  #readAttributes({ attributes }: SaxesTagNS): Readonly<Record<string, string>> {
    const found = Object.values<SaxesAttributeNS>(attributes)
    if (found.length === 0) return NO_ATTRIBUTES
    if (found.length > LIMITS.attributes) this.#refuse(`has more than ${LIMITS.attributes} attributes`)
    return Object.fromEntries(found.map(({ local, value }) => [local, value]))
  }

  #countHeld(elements: number, characters: number): void {
    this.#elements += elements
    this.#characters += characters
    if (this.#elements > LIMITS.elements)
      this.#refuse(`has a record of more than ${LIMITS.elements} elements`)
    if (this.#characters > LIMITS.characters)
      this.#refuse(`has a record of more than ${LIMITS.characters} characters`)
  }

  #addText(text: string): void {
    this.#noteEvent()
    const open = this.#open.at(-1)
    if (!open) {
      if (/[^\s\ufeff\ufffd]/.test(text)) this.#refuse('has text outside of its elements')
      return
    }
    if (open.use !== 'document' && open.use !== 'foreign') return
    // Whitespace between elements is ignored, because a statement may have any amount of it.
    if (open.element.text === '' && text.trim() === '') return
    this.#countHeld(0, text.length)
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
      this.#release(open)
      this.#found.push(...document.reader.takeForeign({ path, element, within: this.#openElements() }))
    }
    if (use !== 'document') return
    element.text = element.text.trim()
    if (document.reader.records.has(path)) {
      // Records are released, so that only the headers around them stay in memory.
      this.#found.push(...document.reader.take({ path, element, within: this.#openElements() }))
      this.#release(open)
    }
    if (parent !== 'envelope') return
    this.#found.push(...document.reader.end())
    this.#document = undefined
    this.#release(open)
  }

  #openElements(): XmlElement[] {
    return this.#open.filter((one) => one.use !== 'envelope').map((one) => one.element)
  }

  #release({ elementsBefore, charactersBefore }: OpenElement): void {
    const parent = this.#open.at(-1)
    if (parent && parent.use !== 'envelope') parent.element.children.pop()
    this.#elements = elementsBefore
    this.#characters = charactersBefore
  }

  #noteEvent(): void {
    this.#positionOfLastEvent = this.#parser.position
    this.#isInDeclaration = false
  }

  #refuse(reason: string): never {
    throw new UnreadableFile(`line ${this.#parser.line}: ${reason}`)
  }
}

function countCharacters({ name, attributes }: XmlElement): number {
  return name.length + Object.values(attributes).reduce((sum, value) => sum + value.length, 0)
}

function joinPath(parent: OpenElement | undefined, name: string): string {
  if (parent === undefined || parent.use === 'envelope') return ''
  return parent.path === '' ? name : `${parent.path}/${name}`
}

/** Finds the first element at a path of local names inside another element. */
export function findElement(element: XmlElement | undefined, path: string): XmlElement | undefined {
  let found = element
  for (const name of path.split('/')) found = found?.children.find((child) => child.name === name)
  return found
}

/** Lists the direct children with a name. */
export function listElements(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? []
}

/** Finds the first non-empty text at these paths. */
export function findText(element: XmlElement | undefined, ...paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const text = findElement(element, path)?.text
    if (text) return text
  }
  return undefined
}
