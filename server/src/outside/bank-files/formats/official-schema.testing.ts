import { readFileSync } from 'node:fs'
import { SaxesParser } from 'saxes'
import { getVectorPath } from '../../../base/crypto/vectors.testing.ts'

/**
 * Validates documents against official ISO 20022 schemas. Supports the parts of XML Schema that these use.
 */

interface Node {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Node[]
  text: string
}

/** Parses XML and returns its root element. Namespace prefixes are removed. */
function parse(xml: string): Node {
  const top: Node = { name: '', attributes: {}, children: [], text: '' }
  const open = [top]
  const parser = new SaxesParser({ xmlns: false })
  const local = (name: string) => name.slice(name.indexOf(':') + 1)
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const node: Node = { name: local(name), attributes, children: [], text: '' }
    open.at(-1)?.children.push(node)
    open.push(node)
  })
  parser.on('text', (text) => {
    const node = open.at(-1)
    if (node) node.text += text
  })
  parser.on('closetag', () => open.pop())
  parser.write(xml).close()
  const [root] = top.children
  if (!root) throw new Error('The document is empty.')
  return root
}

/** Lists the violations of a schema, such as `pain.008.001.08`, in a document. */
export function schemaFaults(name: string, xml: string): string[] {
  const schema = parse(readFileSync(getVectorPath(`iso20022-xsd/${name}.xsd`), 'utf8'))
  const types = new Map(
    schema.children
      .filter((one) => one.name !== 'element')
      .map((one) => [one.attributes.name ?? '', one] as const),
  )
  const document = parse(xml)
  const namespace =
    document.attributes.xmlns === schema.attributes.targetNamespace ? [] : ['/: another namespace']
  return [...namespace, ...new Checker(types).check(document, document.name, '')]
}

class Checker {
  readonly #types: ReadonlyMap<string, Node>

  constructor(types: ReadonlyMap<string, Node>) {
    this.#types = types
  }

  /** Lists the violations in an element of this type. */
  check(element: Node, type: string, above: string): string[] {
    const path = `${above}/${element.name}`
    const declared = this.#types.get(type)
    if (!declared) throw new Error(`The schema has no type ${type}.`)
    if (declared.name === 'simpleType') return this.#checkText(element.text, declared, path)
    const [content] = declared.children
    if (content?.name === 'simpleContent') return this.#checkExtended(element, content, path)
    if (content?.name !== 'sequence' && content?.name !== 'choice')
      throw new Error(`The type ${type} is not supported.`)
    if (element.text.trim() !== '') return [`${path}: text`]
    return this.#checkContent(element, content, path)
  }

  #checkContent(element: Node, content: Node, path: string): string[] {
    const order = content.children.map(({ attributes }) => attributes.name ?? '')
    const places = element.children.map(({ name }) => order.indexOf(name))
    const isOrdered = places.every((place, at) => place >= 0 && place >= (places[at - 1] ?? 0))
    const isChoice = content.name === 'choice'
    const found = isOrdered ? [] : [`${path}: order`]
    if (isChoice && element.children.length !== 1) found.push(`${path}: choice`)
    for (const { attributes } of content.children) {
      const { name = '', type = '', minOccurs = '1', maxOccurs = '1' } = attributes
      const here = element.children.filter((child) => child.name === name)
      const isTooFew = !isChoice && here.length < Number(minOccurs)
      if (isTooFew || (maxOccurs !== 'unbounded' && here.length > Number(maxOccurs)))
        found.push(`${path}/${name}: number`)
      found.push(...here.flatMap((child) => this.check(child, type, path)))
    }
    return found
  }

  /** Checks text that has attributes, such as an amount with its currency. */
  #checkExtended({ text, attributes }: Node, content: Node, path: string): string[] {
    const [extension] = content.children
    const base = this.#types.get(extension?.attributes.base ?? '')
    if (!extension || !base) throw new Error(`${path}: the extension is not supported.`)
    const found = this.#checkText(text, base, path)
    for (const { attributes: declared } of extension.children) {
      const type = this.#types.get(declared.type ?? '')
      const value = attributes[declared.name ?? '']
      if (type) found.push(...this.#checkText(value ?? '', type, `${path}@${declared.name}`))
    }
    return found
  }

  #checkText(text: string, { children }: Node, path: string): string[] {
    const [restriction] = children
    const { base = '' } = restriction?.attributes ?? {}
    const facets = restriction?.children ?? []
    const allowedValues = facets
      .filter(({ name }) => name === 'enumeration')
      .map(({ attributes }) => attributes.value)
    const isFit =
      (allowedValues.length === 0 || allowedValues.includes(text)) &&
      matchesBase(text, base) &&
      facets.every(({ name, attributes: { value = '' } }) => matchesFacet(text, name, value))
    return isFit ? [] : [`${path}: ${text}`]
  }
}

function matchesFacet(text: string, facet: string, value: string): boolean {
  const digits = text.replace(/^-/, '')
  switch (facet) {
    case 'enumeration':
      return true
    case 'minLength':
      return text.length >= Number(value)
    case 'maxLength':
      return text.length <= Number(value)
    case 'pattern':
      return new RegExp(`^(?:${value})$`).test(text)
    case 'minInclusive':
      return Number(text) >= Number(value)
    case 'totalDigits':
      return digits.replace('.', '').length <= Number(value)
    case 'fractionDigits':
      return (digits.split('.')[1] ?? '').length <= Number(value)
    default:
      throw new Error(`The facet ${facet} is not supported.`)
  }
}

const BASE_PATTERNS: Readonly<Record<string, RegExp>> = {
  'xs:string': /[\s\S]*/,
  'xs:decimal': /^-?\d+(?:\.\d+)?$/,
  'xs:date': /^\d{4}-\d{2}-\d{2}$/,
  'xs:dateTime': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})?$/,
  'xs:boolean': /^(?:true|false|0|1)$/,
}

function matchesBase(text: string, base: string): boolean {
  const pattern = BASE_PATTERNS[base]
  if (!pattern) throw new Error(`The type ${base} is not supported.`)
  return pattern.test(text)
}
