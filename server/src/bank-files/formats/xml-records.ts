import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes'
import { shown } from './decimal-amounts.ts'
import { UnreadableFile } from './unreadable-file.ts'

/** An element that was read: its local name, its own text without spaces at the ends, its elements. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  text: string
  readonly children: XmlElement[]
}

/** A record: an element at one of the paths that were asked for, and those that it is in, of what has been read of them. */
export interface XmlRecord {
  readonly path: string
  readonly element: XmlElement
  /** From the document down to the element's parent. Records that were given before are no longer in them. */
  readonly within: readonly XmlElement[]
}

const NO_ATTRIBUTES: Readonly<Record<string, string>> = {}

export interface RecordPaths {
  /** The namespaces that are understood. */
  readonly namespaces: readonly string[]
  /** Local names below the document, such as `BkToCstmrStmt/Stmt/Ntry`. */
  readonly records: readonly string[]
}

const LIMITS = {
  depth: 32,
  /** Of what is held at one time: a record and the heads around it. The longest record of a bank has some hundreds. */
  elements: 20_000,
  attributes: 20,
  /** Of one text, tag or comment. The longest text of the schemas has 500. */
  characters: 20_000,
} as const

/**
 * Reads a file of XML record by record, in memory that does not grow with it. The file is UTF-8 without a DTD, so it has no
 * entities but the five of XML, and nothing in it can refer to anything outside. Throws UnreadableFile for everything else: bad
 * encoding, malformed, truncated, unknown namespace, too deep or too long a text. Records before the fault have been given by
 * then: `readTwice` keeps them from having an effect.
 * @param take is called at the end of each record, when nothing after it has been read; what it gives is given on
 */
export async function* readXmlRecords<Found>(
  bytes: AsyncIterable<Uint8Array>,
  paths: RecordPaths,
  take: (record: XmlRecord) => Found,
): AsyncGenerator<Found> {
  const reader = new RecordReader(paths, take)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const piece of bytes) yield* reader.read(decoded(() => decoder.decode(piece, { stream: true })))
  yield* reader.read(decoded(() => decoder.decode()))
  yield* reader.end()
}

function decoded(decode: () => string): string {
  try {
    return decode()
  } catch {
    throw new UnreadableFile('is not UTF-8')
  }
}

class RecordReader<Found> {
  readonly #parser = new SaxesParser({ xmlns: true, position: true })
  readonly #wanted: ReadonlySet<string>
  readonly #namespaces: readonly string[]
  readonly #open: XmlElement[] = []
  /** The path of each open element below the document. */
  readonly #paths: string[] = []
  /** How many elements are held, and how many were when each open one began. */
  #held = 0
  readonly #heldBefore: number[] = []
  #namespace: string | undefined
  #characterOfLastEvent = 0
  readonly #take: (record: XmlRecord) => Found
  #found: Found[] = []

  constructor({ namespaces, records }: RecordPaths, take: (record: XmlRecord) => Found) {
    this.#take = take
    this.#namespaces = namespaces
    this.#wanted = new Set(records)
    const parser = this.#parser
    parser.on('xmldecl', ({ encoding = 'UTF-8' }) => {
      if (!/^utf-?8$/i.test(encoding)) this.#refuse(`says that it is ${shown(encoding)}; only UTF-8 is read`)
    })
    parser.on('doctype', () => this.#refuse('has a DTD, which is not read'))
    parser.on('processinginstruction', () => this.#refuse('has a processing instruction, which is not read'))
    parser.on('error', ({ message }) => this.#refuse(`is not XML: ${message.replace(/^\d+:\d+: /, '')}`))
    parser.on('opentag', (tag) => this.#begin(tag))
    parser.on('text', (text) => this.#text(text))
    parser.on('cdata', (text) => this.#text(text))
    parser.on('comment', () => this.#seen())
    parser.on('closetag', () => this.#finish())
  }

  *read(text: string): Generator<Found> {
    if (text === '') return
    this.#parser.write(text)
    if (this.#parser.position - this.#characterOfLastEvent > LIMITS.characters + text.length)
      this.#refuse(`has a text of more than ${LIMITS.characters} characters`)
    yield* this.#given()
  }

  *end(): Generator<Found> {
    this.#parser.close()
    yield* this.#given()
  }

  #given(): Found[] {
    const found = this.#found
    this.#found = []
    return found
  }

  #begin(tag: SaxesTagNS): void {
    this.#seen()
    this.#namespace ??= this.#known(tag)
    // Additions of a bank's own may be of its own namespace, where the schemas have a place for them.
    if (tag.uri !== this.#namespace && !this.#paths.at(-1)!.includes('SplmtryData'))
      this.#refuse(`changes to the namespace ${shown(tag.uri)}`)
    if (this.#open.length >= LIMITS.depth) this.#refuse(`is more than ${LIMITS.depth} elements deep`)
    this.#heldBefore.push(this.#held)
    this.#held += 1
    if (this.#held > LIMITS.elements) this.#refuse(`has a record of more than ${LIMITS.elements} elements`)
    const element: XmlElement = { name: tag.local, attributes: this.#attributes(tag), text: '', children: [] }
    this.#open.at(-1)?.children.push(element)
    const parent = this.#paths.at(-1)
    this.#paths.push(parent === undefined ? '' : parent === '' ? tag.local : `${parent}/${tag.local}`)
    this.#open.push(element)
  }

  #attributes({ attributes }: SaxesTagNS): Readonly<Record<string, string>> {
    const found = Object.values<SaxesAttributeNS>(attributes)
    if (found.length === 0) return NO_ATTRIBUTES
    if (found.length > LIMITS.attributes) this.#refuse(`has more than ${LIMITS.attributes} attributes`)
    return Object.fromEntries(found.map(({ local, value }) => [local, value]))
  }

  /** The namespace of the document, which says what the file is. */
  #known({ local, uri }: SaxesTagNS): string {
    if (local !== 'Document') this.#refuse(`begins with ${shown(local)}, not with Document`)
    if (!this.#namespaces.includes(uri))
      this.#refuse(`is of the namespace ${shown(uri)}; understood are ${this.#namespaces.join(', ')}`)
    return uri
  }

  #text(text: string): void {
    this.#seen()
    const element = this.#open.at(-1)
    // Spaces between elements say nothing, and a statement has as many of them as entries.
    if (!element || (element.text === '' && text.trim() === '')) return
    if (element.text.length + text.length > LIMITS.characters)
      this.#refuse(`has a text of more than ${LIMITS.characters} characters`)
    element.text += text
  }

  #finish(): void {
    this.#seen()
    const element = this.#open.pop()!
    const before = this.#heldBefore.pop()!
    element.text = element.text.trim()
    const path = this.#paths.pop()!
    if (!this.#wanted.has(path)) return
    // What is given is not kept: the heads around it stay, of which a file has few.
    this.#found.push(this.#take({ path, element, within: [...this.#open] }))
    this.#open.at(-1)?.children.pop()
    this.#held = before
  }

  #seen(): void {
    this.#characterOfLastEvent = this.#parser.position
  }

  #refuse(what: string): never {
    throw new UnreadableFile(`line ${this.#parser.line}: ${what}`)
  }
}

/** The first element at a path of local names below another one. */
export function below(element: XmlElement | undefined, path: string): XmlElement | undefined {
  let found = element
  for (const name of path.split('/')) found = found?.children.find((child) => child.name === name)
  return found
}

/** All elements of a name right below another one. */
export function allBelow(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? []
}

/** The text at the first of these paths that is there and not empty. */
export function textBelow(element: XmlElement | undefined, ...paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const text = below(element, path)?.text
    if (text) return text
  }
  return undefined
}
