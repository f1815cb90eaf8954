import { useMediaQuery } from '@mantine/hooks'
import { useMemo } from 'react'

/** Below this width a row has no place for all columns. */
const PHONE = '(max-width: 48em)'

/** The columns that the window has place for. */
export function useFittingColumns<One extends { readonly isWideOnly?: boolean }>(
  columns: readonly One[],
): readonly One[] {
  const isPhone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false })
  return useMemo(
    () => (isPhone ? columns.filter(({ isWideOnly }) => !isWideOnly) : columns),
    [columns, isPhone],
  )
}
