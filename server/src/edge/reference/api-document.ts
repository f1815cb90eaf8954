/** A schema of the OpenAPI document, with the keywords shown in the reference. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly discriminator?: { readonly mapping?: Readonly<Record<string, string>> }
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly uniqueItems?: boolean
  readonly readOnly?: boolean
  readonly writeOnly?: boolean
}

export interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
  readonly example?: unknown
}

export interface Content {
  readonly schema?: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, Content>>
}

interface Body {
  readonly description?: string
  readonly required?: boolean
  readonly content: Readonly<Record<string, Content>>
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Response>>
  readonly 'x-stability'?: string
  readonly 'x-codeSamples'?: readonly { readonly label: string; readonly source: string }[]
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

/** The parts of the OpenAPI document shown in the reference. */
export interface ApiDocument {
  readonly info: { readonly 'x-description-version': string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly {
    readonly name: string
    readonly description?: string
    readonly externalDocs?: { readonly url: string }
    readonly 'x-stability'?: string
  }[]
  readonly paths: Paths
  readonly webhooks: Paths
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly securitySchemes: Readonly<Record<string, { readonly description: string }>>
  }
}
