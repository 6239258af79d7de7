// Vendor of the Store Integration Service: sells one product for L$ and store credit, or with two arrows and shelf.lsl all
// products of a category.
//
// Put this script into an object with a notecard named "vendor" that holds
//
//     service = https://the.address.of.your.service
//     key = sis_live_...
//
// The key needs the scopes of the preset "vendor". The service says what the vendor sells. While it knows no product, a
// line "product = the product's UUID" counts. A line "face = 4" puts the product's picture on that side alone. See
// README.md beside this file.
//
// Its sections: the shared part; settings; memory; price and texts; open sales; the service; the menu and the arrows;
// events. To add sound or thanks, leave this script alone: at each completed sale it sends the link message "sis:sold".

string TITLE = "Vendor";
string VERSION = "0.1.0";
string NOTECARD = "vendor";
string SETTINGS = "service, key, face = 0 to 8";
list SCOPES = ["sales:write", "vendors:register"];

// The colour of the text above it: red, green and blue, each from 0 to 1.
vector COLOR = <1.0, 1.0, 1.0>;

// ---- Shared: this part is the same in all scripts of this folder, since LSL has no imports. ----

string gService;
string gKey;
string gHover;
integer gLine;
key gLineQuery;
// A letter of another alphabet in the address or the key.
string gOdd;
// When the notecard was put into the object: one that was edited has another time.
string gNotecard;
key gKeyCheck;
list gTold;

// The text above the object, unless the notecard switches it off.
show(string text)
{
    if (gHover == "off") text = "";
    llSetText(text, COLOR, 1.0);
}

// The owner hears each trouble once, offline as well.
complain(string text)
{
    string known = llGetSubString(text, 0, 59);
    if (llListFindList(gTold, [known]) >= 0) return;
    if (llGetListLength(gTold) >= 10) gTold = [];
    gTold += known;
    llInstantMessage(llGetOwner(), TITLE + ": " + text);
}

// A trouble that keeps the object from its work stands above it as well.
stop(string text)
{
    show(TITLE + ": " + text);
    complain(text);
}

// Tells the owner who touches the object the facts that only the virtual world knows.
report(string text)
{
    llOwnerSay(TITLE + " " + VERSION + ": " + text + " Memory: " + (string)llGetUsedMemory() + "; linkset data free: "
        + (string)llLinksetDataAvailable() + ".");
}

// A JSON string. llList2Json is not used: it takes a text such as "[lamp]" for an array.
string quoted(string text)
{
    text = llReplaceSubString(text, "\\", "\\\\", 0);
    text = llReplaceSubString(text, "\"", "\\\"", 0);
    text = llReplaceSubString(text, "\n", " ", 0);
    return "\"" + text + "\"";
}

// A call of the service; NULL_KEY if the region lets no more through now.
key call(string method, string path, string body, list more)
{
    return llHTTPRequest(gService + path, [
        HTTP_METHOD, method,
        HTTP_MIMETYPE, "application/json",
        HTTP_CUSTOM_HEADER, "X-API-Key", gKey
    ] + more, body);
}

// Every live key may ask what it may do. The reason of most refusals does not reach a script, which sees 415 in its place.
askKey()
{
    gKeyCheck = call("GET", "/v1/store", "", []);
}

integer isKeyFault(integer status)
{
    return status == 401 || status == 403 || status == 415;
}

// Says from the answer to askKey what is wrong with the key; empty if nothing is.
string keyFault(integer status, string body)
{
    if (isKeyFault(status))
        return "the service refuses the key, or is busy.";
    string scopes = llJsonGetValue(body, ["key", "scopes"]);
    if (status != 200 || scopes == JSON_INVALID)
        return "no answer (" + (string)status + "). Is the address right?";
    integer i;
    for (i = 0; i < llGetListLength(SCOPES); ++i)
    {
        string scope = llList2String(SCOPES, i);
        if (llSubStringIndex(scopes, quoted(scope)) < 0)
            return "the key lacks " + scope + ". Ask for one with the preset " + NOTECARD + ".";
    }
    return "";
}

// An address or a key without the quotes, brackets, blanks and signs that nobody sees, which people paste along.
string plain(string text)
{
    string left;
    integer at;
    integer code = 1;
    while (code)
    {
        code = llOrd(text, at);
        string sign = llGetSubString(text, at, at);
        if (code > 44 && code < 123 && code != 60 && code != 62) left += sign;
        // A letter of another script may look like one of ours.
        else if (code > 191 && code < 8192) gOdd = sign;
        ++at;
    }
    return left;
}

// A line is blank, a comment that begins with #, or a name, = and a value.
readLine(string line)
{
    line = llStringTrim(line, STRING_TRIM);
    if (line == "" || llGetSubString(line, 0, 0) == "#") return;
    integer equals = llSubStringIndex(line, "=");
    string name = "";
    if (equals > 0) name = llToLower(llStringTrim(llGetSubString(line, 0, equals - 1), STRING_TRIM));
    string value = llStringTrim(llDeleteSubString(line, 0, equals), STRING_TRIM);
    if (name == "service")
    {
        // People copy a slash along, the /v1 of the API's paths, or the address of the desk.
        gService = plain(llList2String(llParseString2List(value + "/", ["/v1/", "/desk/", "/#"], []), 0));
        while (llGetSubString(gService, -1, -1) == "/") gService = llDeleteSubString(gService, -1, -1);
    }
    else if (name == "key") gKey = plain(value);
    else if (name == "hover" && (llToLower(value) == "on" || llToLower(value) == "off")) gHover = llToLower(value);
    else if (!isSetting(name, value))
        complain("line " + (string)(gLine + 1) + " of the notecard is none of " + SETTINGS + ", hover = on or off.");
}

openNotecard()
{
    if (llGetInventoryType(NOTECARD) != INVENTORY_NOTECARD)
    {
        stop("put a notecard named \"" + NOTECARD + "\" into this object.");
        return;
    }
    gNotecard = llGetInventoryAcquireTime(NOTECARD);
    gLineQuery = llGetNotecardLine(NOTECARD, gLine);
    // A line may never come: the timer asks for it again while there is a query.
    llSetTimerEvent(10.0);
}

// Takes a line, and all behind it that the region has at hand: a reset between them would lose the former key. True behind
// the last one, if the notecard is complete and the object may work here.
integer isRead(string line)
{
    while (line != EOF)
    {
        // A longer line is none that it knows, and would take too much memory.
        readLine(llGetSubString(line, 0, 254));
        ++gLine;
        line = llGetNotecardLineSync(NOTECARD, gLine);
        if (line == NAK)
        {
            gLineQuery = llGetNotecardLine(NOTECARD, gLine);
            return FALSE;
        }
    }
    gLineQuery = "";
    if (gOdd) stop("the address or the key has the sign \"" + gOdd + "\" in it.");
    else if (gService == "" || gKey == "") stop("the notecard lacks \"service = ...\" or \"key = ...\".");
    // Without encryption anybody on the way could read the key.
    else if (llToLower(llGetSubString(gService, 0, 7)) != "https://")
        stop("the address in the notecard must begin with https://.");
    // The L$ of the test grid are play money, and nothing that is given there lasts.
    else if (llSubStringIndex(llGetEnv("simulator_hostname"), "aditi") >= 0)
        stop("it works on the main grid alone.");
    else return TRUE;
    gService = "";
    return FALSE;
}

// A new notecard, or the first one. Other contents change without a reset.
integer isOtherNotecard(integer change)
{
    if (!(change & CHANGED_INVENTORY) || llGetInventoryType(NOTECARD) != INVENTORY_NOTECARD) return FALSE;
    return llGetInventoryAcquireTime(NOTECARD) != gNotecard;
}

// ---- End of the shared part. ----

// ---- Settings ----

// Sales that the service has not answered and L$ that are owed live in linkset data, and survive a reset, a restart of the
// region, and being taken and rezzed. All scripts of the linkset share that: so a pass protects each entry, and its name has
// the vendor's own prim: "sis:v:", the prim, ":" and the sale's id. Its first letter says how far it is:
//
//     S   a sale that the service has not answered
//     X   one that came with a copy of the object
//     O   L$ that are owed to the buyer
//     P   L$ that are on their way to the buyer
//     D   L$ that the buyer got, which the service has to hear
//
// The buyer follows, and behind O, P and D the L$. Each further part begins with "|": what was paid, the vendor, the
// product, the recipient, and other fields as JSON; behind O and P also when the region had started then. Behind D it is
// the transaction.
string PRODUCT = "product";
string OPEN = "sis:v:";
string COPIED = "it was copied or rezzed";
integer PRIM = 6;
integer SALE = 43;
integer BATCH = 4;

// A search for the next entry looks at no more than so many, since a stranger may write any number.
integer LOOK = 320;

// Without so much free linkset data the vendor takes no payment: it could not keep the sale.
integer RESERVE = 2048;

// The pass that opens what this vendor keeps, and the owner whom it was made for.
string gPass;
key gOwner;

// All times are seconds. A quote holds so long, and after another product came nobody pays without one.
integer SESSION = 120;

// A menu that nobody has pressed yet.
integer MENU = 30;

// A press keeps the menu so long, and who had it leaves it to those who were refused.
integer OTHERS = 60;

// Who chose to give buys nothing for themselves without another choice.
integer GIFT = 600;

// The wait for an answer to a sale, and for how a transfer ended.
integer PATIENCE = 90;

// The pause while anything is open, and the longest one after tries that failed.
integer TICK = 20;
integer LONGEST_PAUSE = 600;

// So long after the last touch it shows a product that an arrow chose, and then its own.
integer HOME = 300;

// So long after the last press it asks for the price, and who pays sooner gets it back.
integer GLANCE = 3;

// The channel on which it offers itself to an updater, at its owner's touch.
integer UPDATE = -1937337703;

// The least between two registrations for changes; the pause before one is tried again, before the next one without an
// address, and with one.
integer QUIET = 5;
integer RETRY = 60;
integer REFRESH = 1800;
integer DAY = 86400;

// The longest name that fits above it with a price, in characters of four bytes.
integer NAME = 60;

// ---- Memory ----

// The product, none at first, and when its price changes by itself. The service refuses a sale of none: so the books have
// what is paid then.
string gProduct = NULL_KEY;
integer gFace = ALL_SIDES;
string gName;
string gDemo;
integer gPrice;
string gRefusal;
string gChangesAt;

// The key was tried, and the service has said what the vendor sells.
integer gReady;

// The address at which the service tells of a change, the registration under way, when it was made, and when the next is
// due.
string gUrl;
key gRegistration;
integer gLookedAt;
integer gNext;

// The notecard's product, which counts while the service knows none. Its owner has just written it.
string gChoice;
integer gPicked;

// The avatar who uses the vendor, until when, what they want, and on which terms.
key gBuyer;
integer gUntil;
string gWanted;
string gRecipient;
string gFlags;
integer gToPay;
string gQuote;
key gQuoteRequest;
integer gTouchedAt;
integer gChannel;
integer gListen;
string gMenu;

// Who chose to give, and until when their payment is one for a gift.
list gGivers;

// Until when a payment without a quote may be one for the product before.
integer gNewUntil;

// It shows a product's picture, or has shown one.
integer gHasPicture;

// The pin with which an updater may put in another script now; 0 for none.
integer gPin;

// The prim of the arrow that they pressed; 0 for none.
integer gArrow;

// Who had the menu last, and whether somebody was refused for it.
key gLast;
integer gRefused;

// A sale as it is kept, in parts, while its request is written: a letter and the buyer, what was paid, the vendor, the
// product, the recipient, and further fields as JSON.
list gTerms;

// The sale under way, and when the next may be sent.
string gSale;
key gSaleRequest = NULL_KEY;
integer gSaleAt;
integer gSaleNext;
integer gSalePause;
integer gSalePlace;

// The same for the L$ under way.
string gPayment;
key gTransaction;
integer gPayAt;
integer gPayNext;
integer gPayPause;
integer gPayPlace;

// The last place at which nextEntry looked, and the one at which adopt looks for what other prims noted.
integer gPlace;
integer gOther;

// Entries that are open, the most that it could not read since it began, and of these the ones with names of prims that are
// gone, as it found them the last time and this time.
integer gOpen;
integer gUnread;
integer gStrange;
integer gStranger;

// The notecard is being read. It is another one, while a payment is under way. The vendor is the only script of its prim.
integer gReading;
integer gStale;
integer gAlone;

integer isSetting(string name, string value)
{
    integer face = (integer)value;
    if (name == "face" && (string)face == value && face >= 0 && face < 9) gFace = face;
    else if (name != PRODUCT) return FALSE;
    else if ((key)value) gChoice = value;
    else return FALSE;
    return TRUE;
}

// ---- Price and texts ----

// Without the permission to give L$ back the vendor takes none, nor without memory for the sale.
integer maySell()
{
    return gReady && gRefusal == "" && (llGetPermissions() & PERMISSION_DEBIT) && llLinksetDataAvailable() > RESERVE;
}

// The pay button has exactly one price, that of the quote or of the product, or there is none.
showPrice()
{
    integer price = gPrice;
    if (gQuote != "" && gToPay > 0) price = gToPay;
    if (price == 0 || gPin || !maySell() || (gQuote == "" && llGetUnixTime() < gNewUntil)) price = PAY_HIDE;
    llSetPayPrice(PAY_HIDE, [price, PAY_HIDE, PAY_HIDE, PAY_HIDE]);
    if (!gReady) return;
    string text = "L$ " + (string)gPrice;
    if (gRefusal) text = sentence(gRefusal);
    else if (!maySell()) text = sentence("inactive");
    if (gOpen > 0) text += "\nOpen payments: " + (string)gOpen;
    show(gName + "\n" + text);
}

askDebit()
{
    llOwnerSay("Vendor: please allow it to give L$ back to buyers.");
    llRequestPermissions(llGetOwner(), PERMISSION_DEBIT);
}

endSession()
{
    gBuyer = "";
    gQuote = "";
    gQuoteRequest = "";
    gMenu = "";
    gArrow = 0;
    showPrice();
}

// Says that the avatar wears the tag of the vendor's group. The null key is in the group of an object that is set to none.
string inGroup(key avatar)
{
    if (llSameGroup(avatar) && !llSameGroup(NULL_KEY)) return ",\"inGroup\":true";
    return "";
}

// The fields that a quote and its sale share, of gTerms.
string terms()
{
    string text = "{\"productId\":" + quoted(llList2String(gTerms, 3)) + ",\"buyerIdentifier\":" + quoted(llGetSubString(llList2String(gTerms, 0), 1, 36))
        + ",\"recipientIdentifier\":" + quoted(llList2String(gTerms, 4)) + llList2String(gTerms, 5)
        + ",\"vendorUuid\":" + quoted(llList2String(gTerms, 2));
    gTerms = [];
    return text;
}

askQuote(string menu)
{
    gMenu = menu;
    gTerms = ["Q" + (string)gBuyer, "", llGetKey(), gWanted, gRecipient, gFlags];
    gQuoteRequest = call("POST", "/v1/quotes", terms() + "}", []);
    if (gQuoteRequest == NULL_KEY) dismiss("away");
}

dismiss(string refusal)
{
    llRegionSayTo(gBuyer, 0, sentence(refusal));
    endSession();
}

// The texts for buyers: each below the word that stands for it. They may be put into another language.
string sentence(string refusal)
{
    list texts = llParseString2List("closed
The store is closed.
banned
It does not sell to you or to them.
inactive
It is not for sale now.
sold-out
It is sold out.
unknown-resident
No avatar has that username.
away
No answer. Touch it again in a minute.
none
It has no product yet.
linked
Unlink it: only a root prim has a price.", ["\n"], []);
    integer at = llListFindList(texts, [refusal]);
    if (at < 0) return "Something has changed. Touch it again.";
    return llList2String(texts, at + 1);
}

// A text that the viewer shows as the avatar's name.
string link(string avatar)
{
    return "secondlife:///app/agent/" + avatar + "/about";
}

// In chat to who is here, and to others by instant message.
tell(key avatar, string text)
{
    if (llGetAgentSize(avatar) == ZERO_VECTOR) llInstantMessage(avatar, text);
    else llRegionSayTo(avatar, 0, text);
}

// ---- Open sales ----

string mine()
{
    return OPEN + (string)llGetKey() + ":";
}

integer keep(string entry, string value)
{
    integer code = llLinksetDataWriteProtected(entry, value, gPass);
    return code == LINKSETDATA_OK || code == LINKSETDATA_NOUPDATE;
}

// A value that was written with the pass; empty for all else. That a pass opens no pair which has none is written nowhere.
string opened(string entry, string pass)
{
    if (llLinksetDataRead(entry)) return "";
    return llLinksetDataReadProtected(entry, pass);
}

string kept(string entry)
{
    return opened(entry, gPass);
}

drop(string entry)
{
    if (llLinksetDataDeleteProtected(entry, gPass) == LINKSETDATA_OK) --gOpen;
}

// The sale behind the L$ that are kept.
string saleOf(string value)
{
    return llGetSubString(value, llSubStringIndex(value, "|"), -1);
}

// Counts what is open, and says so if there was more: another script can erase the memory, and write the same names at once.
count()
{
    integer former = gOpen;
    gOpen = 0;
    integer at = llLinksetDataCountFound("^" + mine());
    while (at > 0)
    {
        --at;
        if (kept(llList2String(llLinksetDataFindKeys("^" + mine(), at, 1), 0))) ++gOpen;
    }
    if (gOpen < former) complain("another script has erased its memory, with " + (string)former + " open payments.");
}

// Entries with this vendor's name, or that of a prim which is gone, but another's pass. It neither pays nor deletes that.
integer unread()
{
    return llLinksetDataCountFound("^" + mine()) - gOpen + gStrange;
}

// The next entry at one of these stages behind that place, and once around. gPlace is the place behind it then.
string nextEntry(string stages, integer place)
{
    integer count = llLinksetDataCountFound("^" + mine());
    integer looked;
    gPlace = place;
    while (looked < count && looked < LOOK)
    {
        if (gPlace >= count) gPlace = 0;
        string entry = llList2String(llLinksetDataFindKeys("^" + mine(), gPlace, 1), 0);
        string stage = llGetSubString(kept(entry), 0, 0);
        ++gPlace;
        ++looked;
        if (stage != "" && llSubStringIndex(stages, stage) >= 0) return entry;
    }
    return "";
}

// Nobody knows whether the L$ arrived, or it is not for this vendor to pay them. Paying twice would be as wrong as never.
tellOwner(string entry, string owed, string why)
{
    llInstantMessage(llGetOwner(), "Vendor: L$ " + (string)((integer)llGetSubString(owed, 36, 46)) + " to "
        + link(llGetSubString(owed, 0, 35)) + " are open: " + why + ". Were they paid? Sale "
        + llGetSubString(entry, SALE, SALE + 35));
}

doubt(string why)
{
    string owed = llDeleteSubString(kept(gPayment), 0, 0);
    if (owed) tellOwner(gPayment, owed, why);
    drop(gPayment);
    gPayment = "";
    gTransaction = "";
}

// Another prim's entries came with a copy of the object, or with one that was taken and rezzed. The original may pay what it
// owes, so this vendor pays nothing of it. The sale is sent again: the service makes one of both.
adopt()
{
    integer i;
    for (i = 0; i < BATCH; ++i)
    {
        string entry = llList2String(llLinksetDataFindKeys("^" + OPEN, gOther, 1), 0);
        ++gOther;
        if (entry == "")
        {
            gOther = 0;
            gStrange = gStranger;
            gStranger = 0;
            return;
        }
        string value = kept(entry);
        integer isStrange = llGetSubString(entry, PRIM, PRIM + 35) != (string)llGetKey();
        if (isStrange && value == "") ++gStranger;
        else if (isStrange)
        {
            string stage = llGetSubString(value, 0, 0);
            integer isDone = TRUE;
            if (stage == "P") tellOwner(entry, llDeleteSubString(value, 0, 0), COPIED);
            else
            {
                // Without the L$ that are owed: the service says them again.
                if (stage != "D") value = "X" + llGetSubString(value, 1, 36) + saleOf(value);
                isDone = keep(mine() + llGetSubString(entry, SALE, -1), value);
                if (isDone) ++gOpen;
            }
            if (isDone) llLinksetDataDeleteProtected(entry, gPass);
        }
    }
}

// True for one who chose to give and has not paid since: a gift never becomes a purchase for oneself. Forgets it.
integer isGiver(key who)
{
    integer at = llListFindList(gGivers, [who]);
    if (at < 0) return FALSE;
    integer until = llList2Integer(gGivers, at + 1);
    gGivers = llDeleteSubList(gGivers, at, at + 1);
    return llGetUnixTime() < until;
}

// Keeps the sale before it is sent, so that no payment is lost.
sell(key buyer, integer paid)
{
    integer now = llGetUnixTime();
    // The service refuses a sale with a quote that is none, and all that was paid comes back.
    string quote = "";
    if (isGiver(buyer) || now < gNewUntil) quote = ",\"quote\":\"late\"";
    string sale = "|" + (string)paid + "|" + (string)llGetKey() + "|";
    // Of what an arrow chose, exactly the price is taken: a pay window may show that of the product before.
    if (buyer == gBuyer && gQuote != "" && now <= gUntil && (!gArrow || paid == gToPay))
        sale = "S" + (string)buyer + sale + gWanted + "|" + gRecipient + "|" + gFlags + ",\"quote\":" + quoted(gQuote);
    else sale = "S" + (string)buyer + sale + gProduct + "|" + (string)buyer + "|" + inGroup(buyer) + quote;
    if (buyer == gBuyer) endSession();
    count();
    if (!keep(mine() + (string)llGenerateKey(), sale))
    {
        llInstantMessage(llGetOwner(), "Vendor: its memory is full. It pays L$ " + (string)paid + " back to " + link(buyer) + ".");
        if (paid > 0) llTransferLindenDollars(buyer, paid);
        return;
    }
    ++gOpen;
    sale = "";
    settle();
}

// Takes the next step of what is open: sends one sale, and gives back one sum.
settle()
{
    integer now = llGetUnixTime();
    if (gTransaction != "" && now - gPayAt > PATIENCE) doubt("nobody said how it ended");
    if (gStale && gTransaction == "")
    {
        // It reads another notecard without a reset, which would take the permission away. Payments are kept meanwhile.
        gStale = FALSE;
        gReading = TRUE;
        gReady = FALSE;
        gRegistration = "";
        gKeyCheck = "";
        gLine = 0;
        gService = "";
        gKey = "";
        gOdd = "";
        gHover = "";
        gChoice = "";
        gPicked = TRUE;
        gFace = ALL_SIDES;
        endSession();
        openNotecard();
    }
    if (gPass == "" || gService == "" || gReading) return;
    count();
    adopt();
    if (unread() > gUnread)
    {
        gUnread = unread();
        complain("it cannot read " + (string)gUnread + " entries: another key, owner or script.");
    }
    // A sale that fails keeps no other waiting: the next try begins behind it.
    if (now >= gSaleNext && (gSaleRequest == NULL_KEY || now - gSaleAt > PATIENCE))
    {
        gSale = nextEntry("SXD", gSalePlace);
        gSalePlace = gPlace;
        gSaleRequest = NULL_KEY;
        gSaleAt = now;
        string id = llGetSubString(gSale, SALE, SALE + 35);
        gTerms = llParseStringKeepNulls(kept(gSale), ["|"], []);
        string buyer = llList2String(gTerms, 0);
        string paid = llList2String(gTerms, 1);
        if (llGetSubString(buyer, 0, 0) == "D")
            gSaleRequest = call("POST", "/v1/sales/" + id + "/actions/change-paid", "{\"transactionId\":" + quoted(paid)
                + ",\"amount\":" + llDeleteSubString(buyer, 0, 36) + "}", []);
        else if (gSale)
            gSaleRequest = call("POST", "/v1/sales", terms() + ",\"id\":" + quoted(id) + ",\"paid\":" + paid + "}", []);
        gTerms = [];
    }
    if (now >= gPayNext && gTransaction == "")
    {
        string stages = "P";
        if (llGetPermissions() & PERMISSION_DEBIT) stages = "PO";
        gPayment = nextEntry(stages, gPayPlace);
        gPayPlace = gPlace;
        string owed = kept(gPayment);
        string stage = llGetSubString(owed, 0, 0);
        owed = llDeleteSubString(owed, 0, 0);
        if (stage == "P") doubt("the region stopped");
        else if (stage == "O")
        {
            // The region has started since, with a memory that may be of before the vendor paid this: the service knows.
            if (llGetSubString(owed, -10, -1) != llGetEnv("region_start_time"))
                keep(gPayment, "S" + llGetSubString(owed, 0, 35) + saleOf(owed));
            else if (keep(gPayment, "P" + owed))
            {
                gPayAt = now;
                gTransaction = llTransferLindenDollars((key)llGetSubString(owed, 0, 35), (integer)llGetSubString(owed, 36, 46));
            }
        }
    }
    if (gBuyer == "") showPrice();
    integer pause = gNext - now;
    if (pause > REFRESH) pause = REFRESH;
    if (pause > TICK && (gOpen > 0 || gOther > 0 || gBuyer != "" || gChangesAt != "" || now < gNewUntil || gPin)) pause = TICK;
    if (pause < QUIET || gArrow) pause = QUIET;
    llSetTimerEvent(pause);
}

// Each failure doubles the pause, so that a service in trouble has time.
integer longer(integer pause)
{
    pause = 2 * pause + 20;
    if (pause > LONGEST_PAUSE) return LONGEST_PAUSE;
    return pause;
}

// A text that is passed on takes its memory twice: so this gets the fields of the answer that it needs, and not all of it.
saleAnswered(integer status, string result, string refusal, integer change)
{
    string asked = kept(gSale);
    string stage = llGetSubString(asked, 0, 0);
    gSaleRequest = NULL_KEY;
    // Anybody can answer 404 at a wrong address: the service itself says it in the text too.
    integer isRefused = result == (string)status && llListFindList([400, 404, 422], [status]) >= 0;
    if (stage == "D" && (status == 200 || isRefused))
    {
        drop(gSale);
        return;
    }
    if (stage != "S" && stage != "X" && stage != "D") return;
    string buyer = llGetSubString(asked, 1, 36);
    integer paid = (integer)llGetSubString(asked, 38, 48);
    asked = "";
    string text = "Thank you! It is on its way.";
    if (isRefused && status != 404)
    {
        complain("the service refused a sale: " + refusal);
        text = "The store refused it. Tell its owner.";
        change = paid;
    }
    else if (status != 201 || result == JSON_INVALID || stage == "D")
    {
        complain("the service answered " + (string)status + " to a sale. It is sent again.");
        gSalePause = longer(gSalePause);
        // Many vendors that fail together do not come back together.
        gSaleNext = llGetUnixTime() + gSalePause + (integer)llFrand(0.2 * gSalePause);
        if (isKeyFault(status)) askKey();
        return;
    }
    else
    {
        gTold = [];
        if (change > paid)
        {
            complain("the service wants L$ " + (string)change + " given back of L$ " + (string)paid + ".");
            change = paid;
        }
        if (result == "completed") llMessageLinked(LINK_SET, paid - change, "sis:sold", buyer);
        else if (result == "refused")
        {
            text = sentence(refusal);
            lookSoon();
        }
    }
    gSalePause = 0;
    if (change > 0 && stage == "X") tellOwner(gSale, buyer + (string)change, COPIED);
    if (change > 0 && stage == "S")
    {
        text += " L$ " + (string)change + " of it come back.";
        keep(gSale, "O" + buyer + (string)change + saleOf(kept(gSale)) + "|" + llGetEnv("region_start_time"));
    }
    else drop(gSale);
    tell(buyer, text);
}

// The text of a field; empty for null, and for one that is not there.
string orNone(string value)
{
    if (value == JSON_NULL || value == JSON_INVALID) return "";
    return value;
}

// ---- The service ----

// Says where it is, and asks what it sells.
register()
{
    if (gReading || gService == "") return;
    string body = "{\"name\":" + quoted(llGetObjectName()) + ",\"region\":" + quoted(llGetRegionName())
        + ",\"position\":" + quoted((string)llGetPos()) + ",\"script\":\"Vendor " + VERSION + "\"";
    if (gUrl) body += ",\"url\":" + quoted(gUrl);
    if (gChoice) body += ",\"productId\":" + quoted(gChoice);
    if (gPicked) body += ",\"picked\":true";
    gRegistration = call("PUT", "/v1/vendors/" + (string)llGetKey(), body + "}", []);
}

// Registers once it has an address, where the region has more than it leaves to others.
connect()
{
    if (gUrl == "" && llGetFreeURLs() > 10) llRequestSecureURL();
    else register();
}

// Asks what it sells, after its key if it is not ready. A new address mends one that died.
look(integer hasNewUrl)
{
    if (gReading || gService == "") return;
    gLookedAt = llGetUnixTime();
    // Many vendors that fail together do not come back together.
    gNext = gLookedAt + RETRY + (integer)llFrand(20.0);
    gChangesAt = "";
    if (hasNewUrl)
    {
        llReleaseURL(gUrl);
        gUrl = "";
    }
    if (gReady) connect();
    else askKey();
}

// Something has changed. An answer under way may be older: it counts, since calls without end would else keep each one
// away, and is asked for again.
lookSoon()
{
    gNext = 0;
    if (llGetUnixTime() - gLookedAt >= QUIET) look(FALSE);
    else llSetTimerEvent(QUIET);
}

// ---- The menu and the arrows ----

// Somebody touched it, or an arrow: at a moment when another avatar did too, perhaps.
touched(key who, integer now, integer link)
{
    string prim = llGetLinkName(link);
    integer isArrow = prim == "next" || prim == "previous";
    // A menu takes the script a second, in which payments wait: nobody gets one after another.
    if (who == gBuyer && now - gTouchedAt < 3 - 2 * isArrow) return;
    gTouchedAt = now;
    integer isOwner = !isArrow && who == llGetOwner();
    if (isOwner)
    {
        report((string)gOpen + " open.");
        // Where no L$ are on their way, an updater that knows the key may put in another script, for some seconds.
        if (gService != "" && gTransaction == "")
        {
            gPin = (integer)("0x" + llGetSubString(llSHA256String(gKey + (string)llGetKey()), 0, 6));
            gPayNext = now + TICK;
            llSetRemoteScriptAccessPin(gPin);
            showPrice();
            llRegionSay(UPDATE, llGetScriptName());
        }
    }
    if (isOwner || (!maySell() && now - gLookedAt >= RETRY)) look(isOwner);
    if (isOwner && !(llGetPermissions() & PERMISSION_DEBIT) && gService != "") askDebit();
    else if (!isArrow && gReady && gRefusal != "") llRegionSayTo(who, 0, sentence(gRefusal));
    else if (!isArrow && !maySell()) llRegionSayTo(who, 0, "It is not ready. Tell its owner.");
    else
    {
        integer isTaken = gBuyer != "" && gBuyer != who && now <= gUntil;
        if (isTaken) gRefused = TRUE;
        if (isTaken || (who == gLast && gRefused && now - gUntil < OTHERS))
            llRegionSayTo(who, 0, "Somebody else is choosing. Touch it again in a minute.");
        else
        {
            // A pay window that is open now may show what the vendor shows no longer.
            if (isArrow) gNewUntil = now + SESSION;
            endSession();
            llListenRemove(gListen);
            gBuyer = who;
            gLast = who;
            gRefused = FALSE;
            gUntil = now + MENU;
            gWanted = gProduct;
            gRecipient = (string)who;
            gFlags = inGroup(who);
            gToPay = gPrice;
            gChannel = (integer)llFrand(2000000000.0) | 0x80000000;
            gListen = llListen(gChannel, "", who, "");
            llSetTimerEvent(GLANCE);
            if (isArrow)
            {
                gMenu = "press";
                gArrow = link;
                llMessageLinked(LINK_SET, gUntil, "sis:" + prim, who);
            }
            else if (gFlags) askQuote("group");
            else showMenu();
        }
    }
}

// One who wears the group's tag sees their own price too.
showMenu()
{
    gMenu = "menu";
    list buttons = ["Buy", "Gift", "Use credit"];
    if ((key)gDemo) buttons += "Demo";
    string text = gName + "\nL$ " + (string)gPrice;
    if (gToPay < gPrice) text += "\nYour price: L$ " + (string)gToPay;
    llDialog(gBuyer, text, buttons + "Cancel", gChannel);
}

// ---- Events ----

default
{
    state_entry()
    {
        llSetRemoteScriptAccessPin(0);
        showPrice();
        gAlone = llGetInventoryNumber(INVENTORY_SCRIPT) == 1;
        gReading = gAlone;
        if (gAlone) openNotecard();
        else stop("take the other script out of this prim.");
    }

    on_rez(integer start)
    {
        llResetScript();
    }

    dataserver(key query, string line)
    {
        if (query != gLineQuery) return;
        integer isComplete = isRead(line);
        if (gLineQuery) return;
        gReading = FALSE;
        if (!isComplete) return;
        string former = gPass;
        gOwner = llGetOwner();
        gPass = llHMAC(gKey, (string)gOwner, "sha256");
        // The pass of what is open is the key's, so another key comes into force in two steps, of which each may be the last
        // before a crash: the former pass is noted under the new one, and each entry is written anew before the vendor works.
        string note = "sis:w:" + (string)llGetKey() + llGetSubString(gPass, 0, 7);
        if (former != "" && former != gPass) keep(note, "F" + former);
        former = llDeleteSubString(kept(note), 0, 0);
        if (former)
        {
            integer left;
            integer at = llLinksetDataCountFound("^" + OPEN);
            while (at > 0)
            {
                --at;
                string entry = llList2String(llLinksetDataFindKeys("^" + OPEN, at, 1), 0);
                string value = opened(entry, former);
                if (value)
                {
                    // A name with a pass keeps it, so the entry gets another name.
                    if (keep(entry + "+", value)) llLinksetDataDeleteProtected(entry, former);
                    else ++left;
                }
            }
            if (left == 0) llLinksetDataDeleteProtected(note, gPass);
        }
        gSaleRequest = NULL_KEY;
        gSaleNext = 0;
        if (!(llGetPermissions() & PERMISSION_DEBIT)) askDebit();
        look(TRUE);
        settle();
    }

    run_time_permissions(integer permissions)
    {
        if (!(permissions & PERMISSION_DEBIT)) complain("without that it sells nothing.");
        showPrice();
        settle();
    }

    touch_start(integer count)
    {
        integer now = llGetUnixTime();
        integer i;
        for (i = 0; i < count; ++i)
            touched(llDetectedKey(i), now, llDetectedLinkNumber(i));
    }

    listen(integer channel, string name, key id, string text)
    {
        integer now = llGetUnixTime();
        if (id != gBuyer || now > gUntil)
        {
            llRegionSayTo(id, 0, "This menu is over. Touch it again.");
            return;
        }
        if (gQuote == "") gUntil = now + OTHERS;
        if (gMenu == "confirm" && text == "Confirm") sell(id, 0);
        else if (gMenu == "name")
        {
            // People copy a name as "Display (user.name)", and a link to an avatar.
            text = llGetSubString(text, llSubStringIndex(text, "(") + 1, -1);
            integer at = llSubStringIndex(text, "/agent/");
            if (at >= 0) text = llGetSubString(text, at + 7, at + 42);
            gRecipient = llDumpList2String(llParseString2List(text, [" ", llChar(160), ")", "{", "}", "|"], []), ".");
            askQuote("");
        }
        else if (gMenu != "menu" || text == "Cancel") endSession();
        else if (text == "Gift")
        {
            gGivers = llList2List([id, now + GIFT] + gGivers, 0, 15);
            gMenu = "name";
            llTextBox(id, "The username of the avatar:", gChannel);
        }
        else
        {
            isGiver(id);
            if (text == "Use credit") gFlags += ",\"useCredit\":true";
            if (text == "Demo") gWanted = gDemo;
            askQuote("");
        }
    }

    money(key buyer, integer amount)
    {
        // A payment may overtake the news of another owner, who could not read what this one keeps.
        if (amount <= 0) return;
        if (gPass != "" && (gReading || gService != "") && gOwner == llGetOwner()) sell(buyer, amount);
        else llInstantMessage(llGetOwner(), "Vendor: L$ " + (string)amount + " from " + link(buyer)
            + " came while it could sell nothing: give them back.");
    }

    http_request(key id, string method, string body)
    {
        if (method == URL_REQUEST_GRANTED)
        {
            llReleaseURL(gUrl);
            gUrl = body;
        }
        else if (method != URL_REQUEST_DENIED)
        {
            // Anybody may call. The call is trusted with nothing but to ask the service.
            llHTTPResponse(id, 200, "");
            lookSoon();
            return;
        }
        register();
    }

    http_response(key request, integer status, list metadata, string body)
    {
        if (request == NULL_KEY) return;
        if (request == gRegistration)
        {
            gRegistration = "";
            if (isKeyFault(status)) askKey();
            // While somebody may buy what an arrow chose, its own product waits.
            else if (status == 200 && !gArrow && llJsonValueType(body, ["uuid"]) == JSON_STRING)
            {
                string former = gProduct;
                gProduct = orNone(llJsonGetValue(body, [PRODUCT, "id"]));
                gName = llGetSubString(llJsonGetValue(body, [PRODUCT, "name"]), 0, NAME - 1);
                gPrice = (integer)llJsonGetValue(body, [PRODUCT, "activePrice"]);
                gDemo = orNone(llJsonGetValue(body, [PRODUCT, "demoId"]));
                gChangesAt = orNone(llJsonGetValue(body, [PRODUCT, "changesAt"]));
                gRefusal = "";
                if (llJsonGetValue(body, [PRODUCT, "soldOut"]) == JSON_TRUE) gRefusal = "sold-out";
                if (llJsonGetValue(body, [PRODUCT, "active"]) == JSON_FALSE) gRefusal = "inactive";
                key image = llJsonGetValue(body, [PRODUCT, "image"]);
                body = "";
                if (gProduct == "")
                {
                    gName = TITLE;
                    gProduct = NULL_KEY;
                    gRefusal = "none";
                }
                if (llGetLinkNumber() > 1) gRefusal = "linked";
                if (gProduct != former)
                {
                    if (former != NULL_KEY) gNewUntil = llGetUnixTime() + SESSION;
                    // A menu does not outlive its product, but a quote stays good for two minutes.
                    if (gBuyer != "" && gQuote == "") dismiss("");
                }
                if (image) gHasPicture = TRUE;
                else image = TEXTURE_BLANK;
                if (gHasPicture) llSetTexture(image, gFace);
                gPicked = FALSE;
                if (gNext)
                {
                    gNext = gLookedAt + DAY;
                    if (gUrl == "") gNext = gLookedAt + REFRESH;
                }
                if (!gReady) gTold = [];
                gReady = TRUE;
                showPrice();
            }
        }
        else if (request == gSaleRequest)
        {
            string refusal = llJsonGetValue(body, ["refusal"]);
            string result = llJsonGetValue(body, ["state"]);
            if (status != 201)
            {
                refusal = llJsonGetValue(body, ["detail"]);
                result = llJsonGetValue(body, ["status"]);
            }
            integer change = (integer)llJsonGetValue(body, ["change"]);
            // Before its memory came back as it was, it has paid that.
            if (llJsonValueType(body, ["changePaid"]) == JSON_OBJECT) change = 0;
            body = "";
            saleAnswered(status, result, refusal, change);
        }
        else if (request == gQuoteRequest)
        {
            string refusal = llJsonGetValue(body, ["refusal"]);
            // A name is all that a buyer writes, and so all that may be wrong in the form of a quote.
            if (status == 400) refusal = "unknown-resident";
            integer total = (integer)llJsonGetValue(body, ["total"]);
            if (gArrow) gPrice = (integer)llJsonGetValue(body, ["base"]);
            gQuoteRequest = "";
            gToPay = (integer)llJsonGetValue(body, ["toPay"]);
            gQuote = llJsonGetValue(body, ["quote"]);
            body = "";
            if (status != 200 && status != 400)
            {
                dismiss("away");
                if (isKeyFault(status)) askKey();
            }
            else
            {
                // The service answers: what waits for it need not wait longer.
                gSaleNext = 0;
                if (gMenu != "group" && refusal == JSON_NULL) gUntil = llGetUnixTime() + SESSION;
                if (refusal != JSON_NULL) dismiss(refusal);
                else if (gMenu == "group")
                {
                    gQuote = "";
                    showMenu();
                }
                else if (gArrow)
                {
                    gRefusal = "";
                    showPrice();
                }
                else if (gToPay > 0)
                {
                    showPrice();
                    llRegionSayTo(gBuyer, 0, "Please pay it L$ " + (string)gToPay + " within two minutes.");
                }
                else if (total == 0) sell(gBuyer, 0);
                else
                {
                    gMenu = "confirm";
                    llDialog(gBuyer, gName + "\nYour credit pays it: L$ " + (string)total + ".", ["Confirm", "Cancel"], gChannel);
                }
            }
        }
        else if (request == gKeyCheck)
        {
            string fault = keyFault(status, body);
            if (fault == "") connect();
            else
            {
                gReady = FALSE;
                gNext = llGetUnixTime() + RETRY;
                stop(fault);
                showPrice();
            }
        }
        body = "";
        settle();
    }

    transaction_result(key id, integer success, string data)
    {
        if (id != gTransaction) return;
        string owed = llDeleteSubString(kept(gPayment), 0, 0);
        if (success)
        {
            gPayPause = 0;
            gSaleNext = 0;
            if (owed)
            {
                string buyer = llGetSubString(owed, 0, 35);
                string amount = (string)((integer)llGetSubString(owed, 36, 46));
                keep(gPayment, "D" + buyer + amount + "|" + (string)id);
                tell((key)buyer, "You got L$ " + amount + " back.");
            }
        }
        // After these the L$ have surely not moved, and another try may succeed.
        else if (llListFindList(["LINDENDOLLAR_INSUFFICIENTFUNDS", "THROTTLED", "MISSING_PERMISSION_DEBIT", "TRANSFERS_DISABLED"], [data]) >= 0)
        {
            if (owed) keep(gPayment, "O" + owed);
            gPayPause = longer(gPayPause);
            gPayNext = llGetUnixTime() + gPayPause;
            complain("L$ did not go back: " + data + ". Has your account enough? It tries again.");
        }
        else doubt(data);
        gPayment = "";
        gTransaction = "";
        settle();
    }

    timer()
    {
        if (gLineQuery)
        {
            openNotecard();
            return;
        }
        integer now = llGetUnixTime();
        if (gPin && now >= gPayNext)
        {
            gPin = 0;
            llSetRemoteScriptAccessPin(0);
            showPrice();
        }
        if (gMenu == "press")
        {
            // The shelf writes what it has found above the arrow, behind the time that the press had. Any script of the
            // object could: it can change what is shown, and nothing else. The quote says the price. The vendor has no
            // event for messages, since others could fill its queue with them, and keep payments away.
            // It makes no list of the text: one of 250 parts would take too much memory.
            string shown = llList2String(llGetLinkPrimitiveParams(gArrow, [PRIM_TEXT]), 0);
            gWanted = llGetSubString(shown, 11, 46);
            if ((integer)shown == gUntil) if ((key)gWanted)
            {
                gNext = now + HOME;
                gHasPicture = TRUE;
                gProduct = gWanted;
                gDemo = llGetSubString(shown, 48, 83);
                gName = llDeleteSubString(shown, 0, 84);
                gRefusal = "inactive";
                askQuote("");
            }
        }
        if (gBuyer != "" && now > gUntil)
        {
            if (gQuoteRequest) dismiss("away");
            else endSession();
        }
        // Times in UTC that begin with the year are in the order of their letters.
        integer isDue = gChangesAt != "" && llList2String(llListSort([gChangesAt, llGetTimestamp()], 1, TRUE), 0) == gChangesAt;
        // After a day it takes a new address, since one may die without a word.
        if (isDue || now >= gNext) look(now - gLookedAt > REFRESH);
        settle();
    }

    changed(integer change)
    {
        if (change & CHANGED_OWNER || (llGetInventoryNumber(INVENTORY_SCRIPT) == 1) != gAlone) llResetScript();
        // It is read once no payment is under way: nobody could tell how that ended.
        if (gAlone && isOtherNotecard(change)) gStale = TRUE;
        if (change & CHANGED_REGION_START)
        {
            // A request that was under way is never answered. A sale is sent again once its time is over.
            gTransaction = "";
            gPayment = "";
            gOpen = 0;
            endSession();
        }
        if (change & CHANGED_LINK) look(FALSE);
        // The address has ended with the region.
        if (change & (CHANGED_REGION_START | CHANGED_REGION)) look(TRUE);
        settle();
    }
}
