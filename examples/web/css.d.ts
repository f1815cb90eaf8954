/** A style sheet that a page imports: the bundler puts it beside the page. */
declare module '*.css'
