import { useMediaQuery } from '@mantine/hooks'
import { useMemo } from 'react'

/** Below this width a row does not fit all columns. */
const PHONE = '(max-width: 48em)'

/** True if the window is that narrow. */
export function useIsPhone(): boolean {
  return useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false })
}

/** The columns that fit the window. */
export function useFittingColumns<One extends { readonly isWideOnly?: boolean }>(
  columns: readonly One[],
): readonly One[] {
  const isPhone = useIsPhone()
  return useMemo(
    () => (isPhone ? columns.filter(({ isWideOnly }) => !isWideOnly) : columns),
    [columns, isPhone],
  )
}
