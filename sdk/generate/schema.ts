/** The parts of a schema that the generator reads. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly discriminator?: { readonly propertyName: string }
}

/** A schema of the contract as the generator reads it. */
export function schemaOf(schema: object | null | undefined): Schema {
  return schema ?? {}
}

/** The members of a union; undefined for another schema. */
export function membersOf({ oneOf, anyOf }: Schema): readonly Schema[] | undefined {
  return oneOf ?? anyOf
}
