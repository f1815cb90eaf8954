import { isObject } from '@countersign/contract/core/decode'

/** A list with its filters, under a name that a member gave it. */
export interface View {
  readonly name: string
  /** Its path with its search, so it can be opened and sent like any link. */
  readonly to: string
}

const VIEWS_MAX = 100

const keyOf = (memberId: string) => `countersign.views.${memberId}`

/** The saved views of a member. They are kept in this browser. */
export function readViews(memberId: string): readonly View[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(memberId)) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isView) : []
  } catch {
    return []
  }
}

/** Saves a view. One of the same name and list is replaced. */
export function withView(views: readonly View[], view: View): readonly View[] {
  return [...withoutView(views, view), view].slice(-VIEWS_MAX)
}

export function withoutView(views: readonly View[], { name, to }: View): readonly View[] {
  return views.filter((one) => one.name !== name || pathOf(one) !== pathOf({ to }))
}

export function writeViews(memberId: string, views: readonly View[]): void {
  try {
    localStorage.setItem(keyOf(memberId), JSON.stringify(views))
  } catch {
    // A browser without storage keeps none.
  }
}

/** The list of a view. */
export function pathOf({ to }: Pick<View, 'to'>): string {
  return to.split('?', 1)[0] ?? to
}

function isView(value: unknown): value is View {
  return (
    isObject(value) &&
    typeof value.name === 'string' &&
    typeof value.to === 'string' &&
    // A path of the console, and no other address.
    /^\/(?!\/)/.test(value.to)
  )
}
