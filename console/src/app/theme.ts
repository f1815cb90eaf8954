import { createTheme } from '@mantine/core'

/** Neutral grays with a hint of blue, from the text color to the darkest background. */
const DARK = [
  '#dfe2e9',
  '#b4bac8',
  '#8b92a3',
  '#636b7d',
  '#333947',
  '#2a2f3b',
  '#1f232c',
  '#161920',
  '#11141a',
  '#0c0e12',
] as const

/**
 * Reds whose filled buttons have a contrast of at least 5 to their white labels. Mantine's own have less than
 * 4.
 */
const RED = [
  '#fff5f5',
  '#ffe3e3',
  '#ffc9c9',
  '#ffa8a8',
  '#ff8787',
  '#ff6b6b',
  '#fa5252',
  '#c92a2a',
  '#b02222',
  '#981c1c',
] as const

/** One type scale, the system's fonts, thin borders instead of shadows, and one accent color. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 7 },
  colors: { dark: DARK, red: RED },
  defaultRadius: 'sm',
  autoContrast: true,
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '1rem', lg: '1.25rem', xl: '1.75rem' },
  lineHeights: { xs: '1.35', sm: '1.45', md: '1.5', lg: '1.4', xl: '1.25' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.75rem', lineHeight: '1.25' },
      h2: { fontSize: '1.25rem', lineHeight: '1.4' },
      h3: { fontSize: '1rem', lineHeight: '1.5' },
    },
  },
  respectReducedMotion: true,
  // Plain objects instead of `Component.extend`, which would load every component with the first page.
  components: {
    Drawer: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    SegmentedControl: { defaultProps: { transitionDuration: 0 } },
    Tooltip: { defaultProps: { openDelay: 250, withArrow: true } },
  },
})
