import { Fragment, type ReactNode } from 'react'

/** The facts of a record: names and values. A value of undefined is left out. */
export function Facts({ of }: { readonly of: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="facts">
      {of.map(
        ([name, value]) =>
          value !== undefined &&
          value !== null &&
          value !== false &&
          value !== '' && (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ),
      )}
    </dl>
  )
}
