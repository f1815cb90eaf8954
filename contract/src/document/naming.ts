import type { TSchema } from 'typebox'
import { API } from '../api.ts'
import type { Endpoint } from '../core/endpoint.ts'
import { WEBHOOKS } from '../events/webhooks.ts'
import { GIVEN_NAMES } from './openapi-names.ts'
import { isComponent, isItemComponent, shapeOf } from './shape.ts'

export type NamedSchemas = readonly (readonly [name: string, schema: TSchema])[]

let cachedNames: NamedSchemas | undefined

/**
 * Collects every object, union and enum in the operations and webhooks, once each, with a name. Computed on
 * first use. Most names are given, usually by the constant that declares the schema; otherwise the name is
 * derived from where the schema occurs: `Deposit.sender` becomes `DepositSender`, a page of deposits
 * `DepositPage`.
 */
export function getNamedSchemas(): NamedSchemas {
  cachedNames ??= new Naming().run()
  return cachedNames
}

/**
 * Converts `customer_create` to `CustomerCreate`, `card-state-change` to `CardStateChange`, and `kycStatus`
 * to `KycStatus`.
 */
export function pascalCase(name: string): string {
  return name
    .split(/[_-]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

interface Named {
  readonly name: string
  readonly schema: TSchema
  /** True if the name is derived from the place, and neither given nor the name of a list. */
  readonly isDerived: boolean
}

class Naming {
  readonly #given = new Map<string, readonly [string, TSchema]>()
  readonly #found = new Map<string, Named>()
  readonly #faults: string[] = []

  constructor() {
    for (const entry of GIVEN_NAMES) {
      const shape = shapeOf(entry[1])
      if (!this.#given.has(shape)) this.#given.set(shape, entry)
    }
  }

  run(): NamedSchemas {
    const endpoints = Object.entries<Endpoint>(API)
    for (const [name, { responses }] of endpoints)
      for (const schema of Object.values(responses)) this.#visit(schema, `${pascalCase(name)}Result`)
    for (const [name, { body, responses }] of Object.entries(WEBHOOKS)) {
      this.#visit(body, `${pascalCase(name)}Webhook`)
      for (const { body } of Object.values(responses)) this.#visit(body, `${pascalCase(name)}Answer`)
    }
    // Visited after the responses, because queries reuse the enums of the records that they search.
    for (const [name, endpoint] of endpoints) this.#visitRequest(pascalCase(name), endpoint)
    const names = [...this.#found.values()].map(({ name }) => name)
    for (const name of names.filter((other, index) => names.indexOf(other) !== index))
      this.#faults.push(`Two shapes have the name ${name}`)
    if (this.#faults.length > 0) throw new Error(this.#faults.join('\n'))
    return [...this.#found.values()].map(({ name, schema }) => [name, schema])
  }

  #visitRequest(owner: string, { body, upload, params, query }: Endpoint): void {
    // Only the content: the form itself also has a file, and the document builds its schema.
    if (upload) this.#visitInside(body, owner)
    else this.#visit(body, `${owner}Request`)
    for (const schema of [params, query]) this.#visitInside(schema, owner, true)
  }

  #visit(node: unknown, name: string, isParameter = false, isNamed = isComponent): void {
    if (typeof node !== 'object' || node === null) return
    if (isNamed(node)) this.#visitComponent(node, name, isParameter)
    else this.#visitInside(node, name, isParameter)
  }

  #visitComponent(node: TSchema, name: string, isParameter: boolean): void {
    const shape = shapeOf(node)
    const found = this.#found.get(shape)
    if (found) {
      if (found.isDerived && found.name !== name && !isParameter)
        this.#faults.push(`${found.name} and ${name} have one shape: give it a name`)
      return
    }
    const list = this.#listName(node, name)
    const [ownName, schema] = this.#given.get(shape) ?? [list ?? name, node]
    this.#found.set(shape, { name: ownName, schema, isDerived: !this.#given.has(shape) && !list })
    this.#visitInside(schema, ownName)
  }

  /** Names a list after its items: `CustomerPage` if it has a cursor, otherwise `CustomerList`. */
  #listName(node: TSchema, name: string): string | undefined {
    const { properties }: SchemaParts = node
    const { items }: SchemaParts = properties?.data ?? {}
    if (!items) return undefined
    this.#visit(items, name)
    const item = this.#found.get(shapeOf(items))
    return item && `${item.name}${properties?.hasMore ? 'Page' : 'List'}`
  }

  #visitInside(node: unknown, owner: string, isParameter = false): void {
    if (typeof node !== 'object' || node === null) return
    const parts: SchemaParts = node
    const { properties, items, oneOf, anyOf, patternProperties, additionalProperties, knownWords } = parts
    for (const [name, schema] of Object.entries(properties ?? {}))
      this.#visit(schema, `${owner}${pascalCase(name)}`, isParameter)
    this.#visit(items, toSingular(owner), isParameter, isItemComponent)
    for (const schema of [...(oneOf ?? []), ...(anyOf ?? []), ...Object.values(patternProperties ?? {})])
      this.#visit(schema, owner, isParameter)
    this.#visit(additionalProperties, owner)
    if (knownWords) this.#visit({ type: 'string', enum: knownWords }, `Known${owner}`)
  }
}

interface SchemaParts {
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly items?: TSchema
  readonly oneOf?: readonly TSchema[]
  readonly anyOf?: readonly TSchema[]
  readonly patternProperties?: Readonly<Record<string, TSchema>>
  readonly additionalProperties?: TSchema | boolean
  readonly knownWords?: readonly string[]
}

/**
 * Derives the name of an item from a list's name: `Countries` becomes `Country`, `References` becomes
 * `Reference`.
 */
function toSingular(name: string): string {
  return name.replace(/ies$/, 'y').replace(/(?<!s)s$/, '')
}
