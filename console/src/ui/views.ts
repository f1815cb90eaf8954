import { isObject } from '@countersign/contract/core/decode'

/** A list with filters, saved under a name chosen by the member. */
export interface View {
  readonly name: string
  /** Its path including the query, so that it can be opened and shared like any link. */
  readonly to: string
}

const VIEWS_MAX = 100

const getStorageKey = (memberId: string) => `countersign.views.${memberId}`

/** Reads a member's saved views, which are stored in this browser. */
export function readViews(memberId: string): readonly View[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(getStorageKey(memberId)) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isView) : []
  } catch {
    return []
  }
}

/** Adds a view. It replaces one of the same list with the same name. */
export function withView(views: readonly View[], view: View): readonly View[] {
  return [...withoutView(views, view), view].slice(-VIEWS_MAX)
}

export function withoutView(views: readonly View[], { name, to }: View): readonly View[] {
  return views.filter((view) => view.name !== name || getListPath(view) !== getListPath({ to }))
}

export function writeViews(memberId: string, views: readonly View[]): void {
  try {
    localStorage.setItem(getStorageKey(memberId), JSON.stringify(views))
  } catch {
    // Without browser storage, nothing is saved.
  }
}

/** Returns the path of the view's list. */
export function getListPath({ to }: Pick<View, 'to'>): string {
  return to.split('?', 1)[0] ?? to
}

function isView(value: unknown): value is View {
  return (
    isObject(value) &&
    typeof value.name === 'string' &&
    typeof value.to === 'string' &&
    // Accept only a path within the console, not another URL.
    /^\/(?!\/)/.test(value.to)
  )
}
