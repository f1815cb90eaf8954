/** The parts of components. Each has the class `cs-<part>`, next to your own. */
export type Part =
  | 'section'
  | 'title'
  | 'button'
  | 'primary'
  | 'actions'
  | 'text'
  | 'status'
  | 'error'
  | 'label'
  | 'input'
  | 'form'
  | 'code'
  | 'slot'
  | 'list'
  | 'item'
  | 'details'
  | 'field'
  | 'value'
  | 'amount'
  | 'card'
  | 'dialog'

/** Your own class names, by part. */
export type ClassNames = { readonly [P in Part]?: string }

/** The props of every component. */
export interface Styled {
  /** Your own class names for this component, in addition to the kit's and the provider's. */
  readonly classNames?: ClassNames
}
