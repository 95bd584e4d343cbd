/* The page's head with its style: light, for reading on a screen and on paper. */
#include "report_parts.h"

static const char screen_style[] =
    ":root{--ink:#1d2328;--soft:#5c666f;--faint:#7b858d;--line:#e3e7ea;--wash:#f6f8f9;--blue:#35679a}"
    "*{box-sizing:border-box}"
    "body{margin:0;color:var(--ink);background:#fff;font:14px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica "
    "Neue','Liberation Sans',Arial,sans-serif}"
    "main{max-width:1160px;margin:0 auto;padding:40px 32px 56px}"
    "h1{font-size:27px;line-height:1.2;font-weight:650;margin:0 0 4px;letter-spacing:-.01em}"
    "h2{font-size:19px;font-weight:650;margin:48px 0 6px;letter-spacing:-.005em}"
    "h3{font-size:15px;font-weight:650;margin:24px 0 6px}"
    "sub{font-size:.72em;line-height:0}"
    ".sub{color:var(--soft);margin:0}"
    ".about{color:var(--soft);max-width:100ch;margin:0 0 14px}.about b{color:var(--ink);font-weight:600}"
    ".note{background:var(--wash);border-left:3px solid var(--blue);padding:9px 14px;margin:18px 0 0;color:var(--soft)}"
    ".jump{margin:14px 0 0;color:var(--faint)}.jump a{margin-right:16px}"
    "a{color:var(--blue);text-decoration:none}a:hover{text-decoration:underline}";

static const char table_style[] =
    ".tiles{display:grid;grid-template-columns:repeat(6,1fr);border:1px solid var(--line);border-radius:8px;"
    "margin:24px 0 0}"
    ".tiles div{padding:12px 16px;border-left:1px solid var(--line)}.tiles div:first-child{border:0}"
    ".tiles b{display:block;font-size:21px;font-weight:620;line-height:1.3;font-variant-numeric:tabular-nums}"
    ".tiles span{color:var(--soft);font-size:12px;line-height:1.35;display:block}"
    "table{border-collapse:collapse;width:100%;font-size:13px;line-height:1.4}"
    "th{font-weight:600;color:var(--soft);text-align:left;font-size:12px}"
    "th,td{padding:3px 10px 3px 0;vertical-align:baseline}"
    "thead th{border-bottom:1.5px solid var(--ink);padding-bottom:5px}"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}.n+td,.n+th{padding-left:6px}"
    "tr.o th{padding:11px 0 2px;color:var(--ink);font-size:13px;border-bottom:1px solid var(--line)}"
    "td.k,td.s{white-space:nowrap}.winners td.k{padding-left:10px}.winners "
    "td.s{white-space:normal}td.l,td.m{color:var(--soft);font-size:12px}td.l{white-space:nowrap}"
    ".winners{table-layout:fixed}.winners td.w{font-size:12px}.winners td.l{overflow:hidden}.z{white-space:nowrap}"
    ".winners th:nth-child(1){width:7.5%}.winners th:nth-child(2){width:13.5%}.winners th:nth-child(3){width:12%}"
    ".winners th:nth-child(4){width:19.5%}.winners th:nth-child(5),.winners th:nth-child(6){width:6.5%}"
    ".winners th:nth-child(7){width:11%}.winners th:nth-child(8){width:6%}.winners th:nth-child(9){width:6.5%}"
    "tr.out td{color:#7b858d}tr.out .bar span{opacity:.4}tr.whole td{font-weight:600}"
    "tr.whole td.w,tr.whole td.l{font-weight:400}"
    ".p{white-space:nowrap;margin-right:5px}"
    "td.e{white-space:nowrap;text-align:right;font-variant-numeric:tabular-nums}"
    ".bar{display:inline-block;width:56px;height:7px;margin-left:8px;background:#edf0f2;border-radius:2px;overflow:"
    "hidden}"
    ".bar span{display:block;height:100%;background:var(--blue)}"
    ".refused td,.refused th{padding-right:24px}.refused td.n{width:90px}"
    ".refused tbody tr+tr td,tr.f td{border-top:1px solid var(--line)}"
    ".tag{background:#f6e4e1;color:#9b3127;border-radius:3px;padding:1px 6px;font-size:12px;white-space:nowrap}";

static const char plot_style[] =
    "figure{margin:0;min-width:0}svg{display:block;width:100%;height:auto;overflow:visible;font-family:inherit}"
    ".two{display:grid;grid-template-columns:1fr 1fr;gap:12px 36px}"
    ".three{display:grid;grid-template-columns:repeat(3,1fr);gap:20px 24px}"
    "svg text{font-size:11px;fill:#5c666f;font-variant-numeric:tabular-nums}svg .h{font-size:13px;font-weight:600;"
    "fill:#1d2328}"
    "svg .q{font-size:9.5px;fill:inherit}"
    ".g{stroke:#e8ebee;stroke-width:1}.b{stroke:#8b959d;stroke-width:1}"
    ".c{fill:none;stroke-width:1.7;stroke-linejoin:round}"
    ".roof{fill:none;stroke:#1d2328;stroke-width:1.4;stroke-linejoin:round}"
    ".win{stroke:#1d2328;stroke-width:1;stroke-dasharray:5 4}.floor{stroke:#1d2328;stroke-width:1.2;"
    "stroke-dasharray:1 3}.best{fill:none;stroke:#1d2328;stroke-width:1.3}"
    ".legend,figcaption{color:var(--soft);font-size:12px}.legend span,figcaption span{margin-right:16px;"
    "white-space:nowrap}"
    "figcaption{padding-left:8px;margin-top:2px}"
    ".legend b{display:inline-block;width:10px;height:10px;border-radius:5px;margin-right:6px}"
    ".index{display:grid;grid-template-columns:1fr 1fr;gap:2px 28px;font-size:13px}"
    ".index b{display:inline-block;width:78px;font-weight:600}.index em{font-style:normal;color:var(--faint);"
    "margin:0 4px 0 0;font-size:12px}.index span{display:inline-block;min-width:210px;margin-right:8px}"
    ".index a{display:inline-block;min-width:16px;text-align:center;padding:0;border-radius:3px}"
    ".index a:hover{background:#e9f0f6}"
    ".study{display:none;scroll-margin-top:150px}.study.front,.study:target{display:block}"
    ".studies:has(.study:target) .study.front:not(:target){display:none}"
    "footer{margin-top:56px;padding-top:12px;border-top:1px solid var(--line);color:var(--faint);font-size:12px}";

static const char other_style[] =
    "@media screen and (max-width:860px){main{padding:24px 16px}.two,.three,.index{grid-template-columns:1fr}"
    ".tiles{grid-template-columns:repeat(3,1fr)}section{overflow-x:auto}}"
    "@page{size:A4 portrait;margin:14mm 13mm}"
    "@media print{body{font-size:9.5pt}main{max-width:none;padding:0}.index,.jump,.screen{display:none}"
    "h1{font-size:18pt}h2{font-size:13pt;margin-top:20pt}h2,h3{break-after:avoid}.about{font-size:9pt}"
    "table{font-size:7.2pt}.winners td.w,td.l,td.m,th{font-size:6.7pt}th,td{padding:1.2pt 5pt 1.2pt 0}"
    "tr.o th{font-size:7.6pt;padding-top:7pt}.winners td.k{padding-left:5pt}.winners td.w .z{white-space:normal}"
    ".winners th:nth-child(1){width:8.5%}.winners th:nth-child(3){width:13%}.winners th:nth-child(4){width:18%}"
    ".winners th:nth-child(7){width:10%}.legend,figcaption{font-size:7.2pt}figcaption span{margin-right:8pt}"
    ".bar{width:20pt;height:4.5pt;margin-left:3pt}.tiles b{font-size:13pt}.tiles div{padding:6pt 8pt}"
    ".tiles span{font-size:7.5pt}tbody,figure,.tiles,tr{break-inside:avoid}.refused tbody{break-inside:auto}"
    ".studies{break-before:page}.two{gap:8pt 18pt}.three{gap:10pt 12pt}"
    "*{-webkit-print-color-adjust:exact;print-color-adjust:exact}a{color:inherit}}";

void wisp_report_head(wisp_page *page, const char *title)
{
  wisp_page_print(page,
                  "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
                  "content=\"width=device-width, initial-scale=1\"/>\n<link rel=\"icon\" href=\"data:,\"/>\n<title>");
  wisp_page_text(page, title);
  wisp_page_print(page, "</title>\n<style>\n%s\n", screen_style);
  wisp_page_print(page, "%s\n", table_style);
  wisp_page_print(page, "%s\n", plot_style);
  wisp_page_print(page, "%s\n</style>\n</head>\n<body>\n<main>\n", other_style);
}

void wisp_report_foot(wisp_page *page)
{
  wisp_page_print(page,
                  "<footer>Written by wisp %s. Paper 0: Klöckner, Warburton, Bridge, Hesthaven, <cite>Nodal "
                  "discontinuous Galerkin methods on graphics processors</cite>, 2009.</footer>\n</main>\n</body>\n"
                  "</html>\n",
                  WISP_VERSION);
}
