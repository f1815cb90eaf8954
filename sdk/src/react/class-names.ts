/** The named parts of the components. Each element has the class `cs-<part>` in addition to yours. */
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

/** Your class names for individual parts. */
export type ClassNames = { readonly [P in Part]?: string }

/** Props of every component. */
export interface Styled {
  /** Your class names for this component. They are added to the class names of the kit and the provider. */
  readonly classNames?: ClassNames
}
